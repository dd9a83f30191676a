"""`out=` with a tuple: ops of several results write each of them."""

import torch


def _rows():
    return torch.arange(24.0).reshape(3, 2, 4)


def case_work_buffers_are_collected():
    values, indices = torch.empty(2, 2), torch.empty(2, 2, dtype=torch.long)
    found = []
    for row in _rows():
        torch.topk(row, 2, dim=1, out=(values, indices))  # warning: [IPL304]
        found.append(values)
    return torch.cat(found)


def case_work_buffers_are_collected_cured():
    values, indices = torch.empty(2, 2), torch.empty(2, 2, dtype=torch.long)
    found = []
    for row in _rows():
        torch.topk(row, 2, dim=1, out=(values, indices))
        found.append(values.clone())
    return torch.cat(found)


class Search:
    def __init__(self):
        self.best = torch.empty(2)
        self.at = torch.empty(2, dtype=torch.long)

    def of(self, row):
        return torch.max(row, dim=1, out=(self.best, self.at))  # warning: [IPL304]


def case_the_results_are_the_buffers():
    search = Search()
    found = []
    for row in _rows():
        best, _ = search.of(row)
        found.append(best)
    return torch.stack(found)


class Once:
    def __init__(self):
        self.best = torch.empty(2)
        self.at = torch.empty(2, dtype=torch.long)

    def of(self, row):
        return torch.max(row, dim=1, out=(self.best, self.at))


def case_each_is_used_before_the_next():
    search, total = Once(), torch.zeros(2)
    for row in _rows():
        total += search.of(row)[0]
    return total


def case_results_that_would_require_grad():
    x = torch.rand(2, 4, requires_grad=True)
    values, indices = torch.empty(2, 2), torch.empty(2, 2, dtype=torch.long)
    torch.topk(x, 2, out=(values, indices))  # error: [IPL105]
    return values


def case_the_results_are_the_buffers_cured():
    search = Once()
    found = []
    for row in _rows():
        best, _ = search.of(row)
        found.append(best.clone())
    return torch.stack(found)
