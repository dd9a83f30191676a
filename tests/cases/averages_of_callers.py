"""A moving average that a function brings up to date for the loop that calls its caller, in one statement or in two."""

import torch


def momentum_of(x, momentum, decay):
    gradient = x.sign()
    momentum *= decay
    momentum += gradient
    return momentum.sign()


def stepped(x, momentum):
    return x + momentum_of(x, momentum, 0.9)


def case_momentum_of_a_loop():
    x = torch.tensor([1.0, -1.0])
    momentum = torch.rand(2)
    for _ in range(3):
        x = stepped(x, momentum)
    return x


def normalized(x, scale):
    x *= scale  # warning: [IPL305]
    x -= 1  # warning: [IPL305]
    return x.sign() + x


def shown(x):
    return normalized(x, 2.0)


def case_images_normalized_again():
    image = torch.rand(2)
    total = torch.zeros(2)
    for _ in range(3):
        total = total + shown(image)
    return total


def case_images_normalized_again_cured():
    image = torch.rand(2)
    total = torch.zeros(2)
    for _ in range(3):
        fresh = image * 2.0 - 1
        total = total + fresh.sign() + fresh
    return total


def mean_of_updates(updates):
    mean, rest = updates[0], updates[1:]
    torch._foreach_mul_(mean, 0.5)
    for update in rest:
        torch._foreach_add_(mean, update, alpha=0.5)  # warning: [IPL304]
    return mean


def mean_of_copied_updates(updates):
    mean, rest = [each.clone() for each in updates[0]], updates[1:]
    torch._foreach_mul_(mean, 0.5)
    for update in rest:
        torch._foreach_add_(mean, update, alpha=0.5)
    return mean


def _gaps(updates, mean):
    return torch.stack([torch.stack(torch._foreach_sub(update, mean)) for update in updates])


def case_a_mean_begun_with_the_first_of_several_lists():
    updates = [[torch.ones(2), torch.zeros(2)], [torch.zeros(2), torch.ones(2)]]
    return _gaps(updates, mean_of_updates(updates))


def case_a_mean_begun_with_the_first_of_several_lists_cured():
    updates = [[torch.ones(2), torch.zeros(2)], [torch.zeros(2), torch.ones(2)]]
    return _gaps(updates, mean_of_copied_updates(updates))
