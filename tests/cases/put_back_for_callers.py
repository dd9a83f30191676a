"""A function masks its argument to choose from the rest, puts that back, and gives the places that it chose."""

import torch


def best(scores, allowed):
    kept = scores[allowed]
    scores[:] = -9.0  # warning: [IPL305]
    scores[allowed] = kept  # warning: [IPL305]
    return scores.topk(2)[1]


def best_of_copy(scores, allowed):
    masked = torch.full_like(scores, -9.0)
    masked[allowed] = scores[allowed]
    return masked.topk(2)[1]


def case_whole_is_read_after_the_mask():
    scores, allowed = torch.arange(8.0), torch.tensor([0, 2, 5])
    places = best(scores, allowed)
    return places, scores.mean()


def case_whole_is_read_after_the_mask_cured():
    scores, allowed = torch.arange(8.0), torch.tensor([0, 2, 5])
    places = best_of_copy(scores, allowed)
    return places, scores.mean()


def chosen(scores, allowed):
    kept = scores[allowed]
    scores[:] = -9.0
    scores[allowed] = kept
    return scores.topk(2)[1]


def case_places_of_the_call_are_read():
    scores, allowed = torch.arange(8.0), torch.tensor([0, 2, 5])
    return [scores[place] for place in chosen(scores, allowed)]


def case_places_of_the_call_are_read_at_once():
    scores, allowed = torch.arange(8.0), torch.tensor([0, 2, 5])
    places = chosen(scores, allowed)
    return scores[places]


def among(scores, allowed):
    kept = scores[allowed]
    scores[:] = -9.0  # warning: [IPL305]
    scores[allowed] = kept  # warning: [IPL305]
    return scores.topk(2)[1]


def case_other_places_are_read():
    scores, allowed, wanted = torch.arange(8.0), torch.tensor([0, 2, 5]), torch.tensor([1, 2])
    places = among(scores, allowed)
    return places, scores[wanted]


def case_other_places_are_read_cured():
    scores, allowed, wanted = torch.arange(8.0), torch.tensor([0, 2, 5]), torch.tensor([1, 2])
    places = best_of_copy(scores, allowed)
    return places, scores[wanted]


def warmer(scores, allowed):
    scores /= 2.0
    kept = scores[allowed]
    scores[:] = -9.0  # warning: [IPL305]
    scores[allowed] = kept  # warning: [IPL305]
    return scores.topk(2)[1]


def case_what_is_put_back_is_changed():
    scores, allowed = torch.arange(8.0), torch.tensor([0, 2, 5])
    places = warmer(scores, allowed)
    return scores[places]


def case_what_is_put_back_is_changed_cured():
    scores, allowed = torch.arange(8.0), torch.tensor([0, 2, 5])
    places = best_of_copy(scores / 2.0, allowed)
    return scores[places]
