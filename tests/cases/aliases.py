"""Two names for one tensor: a second name is not a copy."""

import torch
import torch.nn.functional as F


def case_identity_then_statement():
    x = torch.randn(4)
    identity = x
    x.relu_()  # warning: [IPL303]
    return x + identity


def case_identity_then_statement_cured():
    x = torch.randn(4)
    identity = x.clone()
    x.relu_()
    return x + identity


def case_identity_then_rebinding():
    x = torch.randn(4)
    identity = x
    x = F.relu(x, inplace=True)  # warning: [IPL303]
    return x + identity


def case_identity_then_rebinding_cured():
    x = torch.randn(4)
    identity = x
    x = F.relu(x)
    return x + identity


def case_names_part_at_a_new_tensor():
    x = torch.randn(4)
    identity = x
    x = x * 2
    x.relu_()
    return x + identity


def case_names_part_before_augmented_assignment():
    x = torch.randn(4)
    total = x.clone()
    total += 1
    return total + x


def case_unpacked_alias():
    a = torch.ones(3)
    a, b = a, a
    a.mul_(2)  # warning: [IPL303]
    return b + 1


def case_unpacked_alias_cured():
    a = torch.ones(3)
    a, b = a, a.clone()
    a.mul_(2)
    return b + 1


def case_detach_is_an_alias():
    weight = torch.ones(3)
    before = weight.detach()
    weight.mul_(0.5)  # warning: [IPL303]
    return before - weight


def case_detach_is_an_alias_cured():
    weight = torch.ones(3)
    before = weight.detach().clone()
    weight.mul_(0.5)
    return before - weight


def case_float_of_a_float_is_an_alias():
    x = torch.randn(4)
    centred = x.float()
    centred -= 1.0  # warning: [IPL303]
    return centred * x


def case_float_of_a_float_is_an_alias_cured():
    x = torch.randn(4)
    centred = x.float().clone()
    centred -= 1.0
    return centred * x


def case_double_of_a_float_is_a_copy():
    x = torch.randn(4)
    centred = x.double()
    centred -= 1.0
    return centred * x


def case_contiguous_is_an_alias():
    x = torch.randn(4)
    kept = x.contiguous()
    x.zero_()  # warning: [IPL303]
    return kept + 1


def case_contiguous_is_an_alias_cured():
    x = torch.randn(4)
    kept = x.contiguous().clone()
    x.zero_()
    return kept + 1


def case_contiguous_of_a_transpose_is_a_copy():
    x = torch.randn(2, 3)
    kept = x.t().contiguous()
    x.zero_()
    return kept + 1


def case_dropout_in_evaluation_is_an_alias():
    x = torch.randn(4)
    dropped = F.dropout(x, 0.5, training=False)
    x.zero_()  # warning: [IPL303]
    return dropped + 1


def case_dropout_in_evaluation_is_an_alias_cured():
    x = torch.randn(4)
    dropped = F.dropout(x, 0.5, training=False).clone()
    x.zero_()
    return dropped + 1


def case_alias_never_read_again():
    x = torch.randn(4)
    y = x
    y += 1
    return y


def case_only_the_shape_of_the_alias():
    x = torch.randn(4)
    identity = x
    x.relu_()
    return x / identity.shape[0]


def case_alias_read_before_the_write():
    x = torch.randn(4)
    identity = x
    norm = identity.norm()
    x.relu_()
    return x / norm


def case_alias_overwritten_before_it_is_read():
    x = torch.randn(4)
    kept = x
    x.relu_()
    kept = x * 2
    return kept


def case_new_name_then_old_name():
    x = torch.randn(4)
    y = F.relu(x, inplace=True)  # warning: [IPL301]
    z = torch.sigmoid(x)
    return y + z


def case_new_name_then_old_name_cured():
    x = torch.randn(4)
    y = F.relu(x)
    z = torch.sigmoid(x)
    return y + z


def case_new_name_and_old_name_filled_again():
    x = torch.randn(4)
    y = x.mul_(2)
    x = torch.ones(4)
    return y + x


def case_filler_result_bound():
    x = torch.empty(4)
    y = x.fill_(3.0)
    return y + x


def case_same_expression():
    x = torch.randn(4)
    return x * torch.sigmoid_(x)  # warning: [IPL302]


def case_same_expression_cured():
    x = torch.randn(4)
    return x * torch.sigmoid(x)


def case_same_expression_in_a_call():
    x = torch.randn(4)
    return torch.cat([x, x.neg_()])  # warning: [IPL302]


def case_same_expression_in_a_call_cured():
    x = torch.randn(4)
    return torch.cat([x, x.neg()])


def case_same_expression_reads_a_copy():
    x = torch.randn(4)
    return x.clone() * torch.sigmoid_(x)


def case_same_expression_was_computed_before():
    x = torch.randn(4)
    return (x + 1) * x.sigmoid_()


def case_alias_of_a_saved_result():
    x = torch.randn(3, requires_grad=True)
    gate = x.sigmoid()
    scaled = gate
    scaled *= 2  # error: [IPL202]
    scaled.sum().backward()
    return x.grad
