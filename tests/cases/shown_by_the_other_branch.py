"""What an `if` does otherwise shows that two places are meant to have one memory."""

import torch


def collated(samples):
    batch = {}
    for i, sample in enumerate(samples):
        for key, values in sample.items():
            if i == 0:
                rows = torch.zeros(len(samples), len(values))
                batch[key] = rows
            else:
                rows = batch[key]
            rows[i] = torch.tensor(values)
    return batch


def case_rows_taken_up_again():
    return collated([{"a": [1.0], "b": [2.0, 3.0]}, {"a": [4.0], "b": [5.0, 6.0]}])


def summed(samples):
    sums = {}
    for sample in samples:
        for key, values in sample.items():
            if key in sums:
                total = sums[key]
            else:
                sums[key] = total = torch.zeros(2)
            total += values
    return sums


def case_totals_taken_up_again():
    return summed([{"a": torch.ones(2)}, {"a": torch.ones(2), "b": torch.ones(2)}])


def case_rows_put_everywhere():
    batch = {}
    rows = torch.zeros(2)
    for key, values in [("a", [2.0, 3.0]), ("b", [4.0, 5.0])]:
        batch[key] = rows
        rows[:] = torch.tensor(values)  # warning: [IPL304]
    return batch["a"], batch["b"]


def case_rows_put_everywhere_cured():
    batch = {}
    for key, values in [("a", [2.0, 3.0]), ("b", [4.0, 5.0])]:
        rows = torch.zeros(2)
        batch[key] = rows
        rows[:] = torch.tensor(values)
    return batch["a"], batch["b"]


def case_rows_kept_and_changed():
    batch = {}
    for key, values in [("a", [2.0, 3.0]), ("b", [4.0, 5.0])]:
        rows = torch.tensor(values)
        batch[key] = rows
        rows[:] = 1 / rows  # warning: [IPL304]
    return batch["a"], batch["b"]


def case_rows_kept_and_changed_cured():
    batch = {}
    for key, values in [("a", [2.0, 3.0]), ("b", [4.0, 5.0])]:
        rows = torch.tensor(values)
        batch[key] = rows
        rows = 1 / rows
    return batch["a"], batch["b"]


def averaged(total: torch.Tensor, dtype, count):
    if total.dtype != dtype:
        exact = total.to(dtype)
    else:
        exact = total
    exact.div_(count)
    if total.dtype != dtype and exact is not total:
        total.copy_(exact)
    return total


def case_copied_back_if_converted():
    return averaged(torch.ones(3), torch.float64, 2), averaged(torch.ones(3), torch.float32, 2)


def averaged_beside(total: torch.Tensor, count):
    exact = total
    exact.div_(count)  # warning: [IPL303]
    return exact + total


def case_average_beside_the_total():
    return averaged_beside(torch.ones(3), 2)


def case_average_beside_the_total_cured():
    total = torch.ones(3)
    exact = total / 2
    return exact + total


class Table:
    def __init__(self, size):
        self.rows = torch.arange(3.0 * size).reshape(size, 3)

    def add(self, i, values=None, fill=None):
        row = self.rows[i]
        if values is not None:
            self.rows[i] = values
        elif fill:
            fill(row)
        return row


class Swapped:
    def __init__(self, size):
        self.rows = torch.arange(3.0 * size).reshape(size, 3)

    def swap(self, i, j):
        row = self.rows[i]
        self.rows[i] = self.rows[j]  # warning: [IPL303]
        self.rows[j] = row
        return self.rows


def case_row_filled_either_way():
    table = Table(2)
    return table.add(0, torch.ones(3)), table.add(1, fill=lambda row: row.fill_(2))


def case_rows_swapped():
    return Swapped(2).swap(0, 1)


def case_rows_swapped_cured():
    rows = torch.arange(6.0).reshape(2, 3)
    return rows[[1, 0]]


class Blocks:
    def __init__(self):
        self.free = 4

    def allocate(self, table, lengths):
        missing = torch.nonzero(table[torch.arange(2), lengths] < 0).squeeze(1)
        table[missing, lengths[missing]] = self.free
        self.free += 1
        return missing

    def allocate_all(self, table, lengths, count):
        given = []
        for i in range(count):
            given += [self.allocate(table, lengths + i)]
        return given


def masked(table, lengths, given):
    missing = torch.nonzero(table[torch.arange(2), lengths] < 0).squeeze(1)
    table[missing, lengths[missing]] = 4  # warning: [IPL305]
    given.append(table[torch.arange(2), lengths].sum())
    return missing


def case_blocks_allocated():
    return Blocks().allocate_all(torch.full((2, 4), -1), torch.tensor([0, 1]), 2)


def case_blocks_counted():
    table, given = torch.full((2, 4), -1), []
    table[1] = 0
    missing = masked(table, torch.tensor([0, 1]), given)
    return missing, (table < 0).sum()


def case_blocks_counted_cured():
    table = torch.full((2, 4), -1)
    table[1] = 0
    return torch.tensor([0]), (table < 0).sum()
