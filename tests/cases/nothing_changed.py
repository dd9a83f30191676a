"""Writes that change nothing: to tensors without elements, or of what is there already."""

import torch


def _suppressed(prediction, empty):
    output = [empty] * prediction.shape[0]
    for i, x in enumerate(prediction):
        x = x[x[:, 4] > 0.5]
        if not x.shape[0]:
            continue
        output[i] = x
    return output


def case_no_boxes_in_several_slots():
    found = _suppressed(torch.zeros(3, 5, 6), torch.zeros((0, 6)))
    for boxes in found:
        if len(boxes):
            boxes[:, :4] = boxes[:, :4].round()
        boxes *= 2
    return found


def case_one_box_in_several_slots():
    found = _suppressed(torch.zeros(3, 5, 6), torch.ones((1, 6)))
    for boxes in found:
        if len(boxes):
            boxes[:, :4] += boxes[:, :4]  # warning: [IPL306]
    return found


def case_one_box_in_several_slots_cured():
    found = _suppressed(torch.zeros(3, 5, 6), torch.ones((1, 6)))
    for i, boxes in enumerate(found):
        found[i] = torch.cat([boxes[:, :4] * 2, boxes[:, 4:]], 1)
    return found


def case_nothing_kept_under_two_names():
    found = torch.empty(0)
    before = found
    found += 1
    return before * 2, found


def _filled(x, out=torch.empty(0)):
    torch.mul(x, 2, out=out)  # warning: [IPL306]
    return out


def case_empty_default_that_is_filled():
    # `out=` makes it as large as the result.
    return _filled(torch.ones(3)), _filled(torch.zeros(3))


def case_empty_default_that_is_filled_cured():
    return torch.ones(3) * 2, torch.zeros(3)
