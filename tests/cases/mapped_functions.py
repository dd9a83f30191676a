"""What `map` gives is what the function gave for each element: the value that is there since its write."""

import torch


def decayed(x):
    return x.mul_(0.5)


def case_elements_are_updated_by_the_function():
    moments = [torch.arange(3.0), torch.ones(3)]
    return type(moments)(map(decayed, moments))


def case_elements_of_a_display():
    first, second = torch.arange(3.0), torch.ones(3)
    return torch.stack(tuple(map(decayed, [first, second])))


def halved(x):
    return x.mul_(0.5)  # warning: [IPL302]


def case_element_beside_what_became_of_it():
    first = torch.arange(3.0)
    return torch.stack([first, halved(first)])


def copy_halved(x):
    return x.mul(0.5)


def case_element_beside_what_became_of_it_cured():
    first = torch.arange(3.0)
    return torch.stack([first, copy_halved(first)])


def brought_down(x):
    return x.mul_(0.5)  # warning: [IPL305]


def case_mapped_element_is_read_again():
    first, second = torch.arange(3.0), torch.ones(3)
    lower = torch.stack(list(map(brought_down, [first, second])))
    return lower - first


def copy_brought_down(x):
    return x.mul(0.5)


def case_mapped_element_is_read_again_cured():
    first, second = torch.arange(3.0), torch.ones(3)
    lower = torch.stack(list(map(copy_brought_down, [first, second])))
    return lower - first
