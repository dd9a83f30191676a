"""One op, then one write: what each op saved decides."""

import torch
import torch.nn.functional as F


def case_loss_halved_after_sqrt():
    x = torch.rand(3, requires_grad=True)
    loss = x.sum().sqrt()
    loss /= 2  # error: [IPL202]
    loss.sum().backward()
    return x.grad


def case_loss_halved_after_mean():
    x = torch.rand(3, requires_grad=True)
    loss = x.square().mean()
    loss /= 2
    loss.sum().backward()
    return x.grad


def case_loss_doubled_after_mse():
    x = torch.rand(3, requires_grad=True)
    loss = F.mse_loss(x, torch.zeros(3))
    loss *= 2
    loss.sum().backward()
    return x.grad


def case_normalised_by_its_norm():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    y /= y.norm()  # error: [IPL201]
    y.sum().backward()
    return x.grad


def case_times_its_sigmoid():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    y *= torch.sigmoid(y)
    y.sum().backward()
    return x.grad


def case_plus_its_exponential():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    y += y.exp()
    y.sum().backward()
    return x.grad


def case_plus_its_square():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    y += y**2  # error: [IPL201]
    y.sum().backward()
    return x.grad


def case_minus_its_softplus():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    y -= F.softplus(y)  # error: [IPL201]
    y.sum().backward()
    return x.grad


def case_minus_its_mean():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    y -= y.mean()
    y.sum().backward()
    return x.grad


def case_minus_its_maximum():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    y -= y.max()  # error: [IPL201]
    y.sum().backward()
    return x.grad


def case_minus_its_maximum_along_a_dimension():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    y -= y.max(dim=0).values
    y.sum().backward()
    return x.grad


def case_minus_its_amax():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    y -= y.amax(0)  # error: [IPL201]
    y.sum().backward()
    return x.grad


def case_product_operand():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y * x
    y += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_product_operand_of_plain_data():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y * torch.ones(3)
    y += 1
    z.sum().backward()
    return x.grad


def case_plain_factor():
    x = torch.rand(3, requires_grad=True)
    factor = torch.ones(3)
    z = x * factor
    factor += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_plain_summand():
    x = torch.rand(3, requires_grad=True)
    summand = torch.ones(3)
    z = x + summand
    summand += 1
    z.sum().backward()
    return x.grad


def case_scaled_by_a_number():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y * 3
    y += 1
    z.sum().backward()
    return x.grad


def case_quotient():
    x = torch.rand(3, requires_grad=True)
    y = x + 1
    z = torch.ones(3) / y
    y += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_numerator():
    x = torch.rand(3, requires_grad=True)
    y = x + 1
    z = y / torch.ones(3)
    y += 1
    z.sum().backward()
    return x.grad


def case_mask_of_a_product():
    x = torch.rand(3, requires_grad=True)
    mask = torch.ones(3, dtype=torch.bool)
    z = x * mask
    mask.zero_()  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_mask_of_where():
    x = torch.rand(3, requires_grad=True)
    mask = torch.ones(3, dtype=torch.bool)
    z = torch.where(mask, x, 0.0)
    mask.zero_()  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_branch_of_where():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = torch.where(x > 0, y, 0.0)
    y.zero_()
    z.sum().backward()
    return x.grad


def case_index_of_a_gather():
    x = torch.rand(3, requires_grad=True)
    index = torch.tensor([0, 1])
    z = x[index]
    index += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_source_of_an_index():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y[torch.tensor([0, 1])]
    y += 1
    z.sum().backward()
    return x.grad


def case_clamped_input():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y.clamp(min=0)
    y += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_clamped_result():
    x = torch.rand(3, requires_grad=True)
    z = x.clamp(min=0)
    z += 1
    z.sum().backward()
    return x.grad


def case_absolute_input():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y.abs()
    y += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_leaky_result():
    x = torch.rand(3, requires_grad=True)
    z = F.leaky_relu(x * 2)
    z += 1
    z.sum().backward()
    return x.grad


def case_leaky_input():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = F.leaky_relu(y)
    y += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_relu_input():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = F.relu(y)
    y += 1
    z.sum().backward()
    return x.grad


def case_relu_result():
    x = torch.rand(3, requires_grad=True)
    z = F.relu(x * 2)
    z += 1  # error: [IPL202]
    z.sum().backward()
    return x.grad


def case_gelu_result():
    x = torch.rand(3, requires_grad=True)
    z = F.gelu(x * 2)
    z += 1
    z.sum().backward()
    return x.grad


def case_gelu_input():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = F.gelu(y)
    y += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_softmax_input():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y.softmax(0)
    y += 1
    z.sum().backward()
    return x.grad


def case_softmax_result():
    x = torch.rand(3, requires_grad=True)
    z = x.softmax(0)
    z *= 2  # error: [IPL202]
    z.sum().backward()
    return x.grad


def case_standard_deviation_input():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y.std()
    y += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_concatenated_part():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = torch.cat([y, x])
    y += 1
    z.sum().backward()
    return x.grad


def case_running_sum_input():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y.cumsum(0)
    y += 1
    z.sum().backward()
    return x.grad


def case_running_product_input():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y.cumprod(0)
    y += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_power_of_one():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y**1
    y += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_zero_added():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y.sin()
    y += 0  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_rounded_input():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = y + y.round()
    y += 1
    z.sum().backward()
    return x.grad


def case_in_place_square_then_sum():
    x = torch.rand(3, requires_grad=True)
    z = (x * 2).square_()
    z += 1
    z.sum().backward()
    return x.grad


def case_in_place_tanh_then_sum():
    x = torch.rand(3, requires_grad=True)
    z = (x * 2).tanh_()
    z += 1  # error: [IPL202]
    z.sum().backward()
    return x.grad


def case_in_place_silu_then_sum():
    x = torch.rand(3, requires_grad=True)
    z = F.silu(x * 2, inplace=True)
    z += 1
    z.sum().backward()
    return x.grad


def case_in_place_product_by_a_graph():
    x = torch.rand(3, requires_grad=True)
    z = x * 2
    z *= x
    z += 1
    z.sum().backward()
    return x.grad


def case_metadata_changed_in_place():
    x = torch.rand(3, requires_grad=True)
    z = x.exp()
    z.unsqueeze_(0)  # error: [IPL202]
    z.sum().backward()
    return x.grad


def case_matrix_vector_product():
    x = torch.rand(3, requires_grad=True)
    matrix = torch.eye(3)
    z = matrix @ x
    matrix += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_interpolated_end():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = torch.lerp(x, y, 0.3)
    y += 1
    z.sum().backward()
    return x.grad


def case_maximum_of_two():
    x = torch.rand(3, requires_grad=True)
    y = x * 2
    z = torch.maximum(x, y)
    y += 1  # error: [IPL201]
    z.sum().backward()
    return x.grad


def case_length_by_name():
    x = torch.rand(3, 3, requires_grad=True)
    lengths = torch.norm(x * 2, p="fro", dim=-1, keepdim=True)
    lengths.clamp_(min=1e-6)  # error: [IPL202]
    (x / lengths).sum().backward()


def case_norm_by_name_of_what_is_changed():
    x = torch.rand(3, 3, requires_grad=True)
    y = x * 2
    size = y.norm("fro")
    y.mul_(2)  # error: [IPL201]
    size.backward()


def case_nuclear_norm_of_what_is_changed():
    x = torch.rand(3, 3, requires_grad=True)
    y = x * 2
    size = torch.norm(y, p="nuc")
    y.mul_(2)
    size.backward()
    return x.grad


def case_condition_by_singular_values():
    x = torch.rand(3, 3, requires_grad=True)
    y = x * 2
    size = torch.linalg.cond(y) + torch.linalg.cond(y, -2) + torch.linalg.cond(y, "nuc")
    y.mul_(2)
    size.backward()
    return x.grad


def case_norm_of_a_matrix_that_is_changed():
    x = torch.rand(3, 3, requires_grad=True)
    y = x * 2
    size = torch.linalg.matrix_norm(y) + torch.linalg.matrix_norm(y, 1)
    y.mul_(2)  # error: [IPL201]
    size.backward()


def case_norm_of_a_matrix_by_singular_values():
    x = torch.rand(3, 3, requires_grad=True)
    y = x * 2
    size = torch.linalg.matrix_norm(y, "nuc") + torch.linalg.matrix_norm(y, 2) + torch.linalg.norm(y, "nuc")
    y.mul_(2)
    size.backward()
    return x.grad
