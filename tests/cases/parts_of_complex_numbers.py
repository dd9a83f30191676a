"""Real and imaginary parts of complex tensors lie beside each other in memory."""

import torch


def case_each_part_is_squared():
    f = torch.fft.fft(torch.arange(4.0))
    return torch.sqrt(torch.real(f).pow_(2) + torch.imag(f) ** 2)


def case_each_attribute_is_squared():
    f = torch.fft.fft(torch.arange(4.0))
    return (f.real.square_() + f.imag.square_()).sqrt()


def case_one_part_is_read_again():
    f = torch.fft.fft(torch.arange(4.0))
    return torch.real(f).pow_(2) + torch.real(f) * 2  # warning: [IPL302]


def case_one_part_is_read_again_cured():
    f = torch.fft.fft(torch.arange(4.0))
    return torch.real(f).pow(2) + torch.real(f) * 2


def case_all_of_it_was_saved():
    f = torch.fft.fft(torch.arange(4.0, requires_grad=True))
    size = f.abs()
    f.imag.mul_(2)  # error: [IPL201]
    size.sum().backward()
    return size
