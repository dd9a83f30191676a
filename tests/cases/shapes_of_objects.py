"""`unsqueeze_` changes the shape of one tensor object; arrays and detached tensors on its memory keep theirs."""

import numpy as np
import torch


def case_row_of_an_array():
    values = np.ones(3)
    row = torch.from_numpy(values)
    row.unsqueeze_(0)
    return values.sum() + row.mean()


def case_row_of_a_detached_tensor():
    x = torch.ones(3)
    row = x.detach()
    row.unsqueeze_(0)
    return x.sum(0) + row.mean()


def case_row_by_another_name():
    x = torch.ones(3)
    row = x
    row.unsqueeze_(0)  # warning: [IPL303]
    return x.sum(0) + row.mean()


def case_row_by_another_name_cured():
    x = torch.ones(3)
    row = x.unsqueeze(0)
    return x.sum(0) + row.mean()


def rows_of_arrays_out_of_view(arrays, kinds, sink):
    for index, array in enumerate(arrays):
        if kinds[index] == "pcm":
            row = torch.from_numpy(array)
        if row.dim() == 1:
            row.unsqueeze_(0)
        row = sink.scaled(row)
        if row.max() > 0:
            if kinds[index] == sink.kind:
                data = array
            sink.put(data)


def rows_of_arrays_out_of_view_scaled(arrays, kinds, sink):
    for index, array in enumerate(arrays):
        row = torch.from_numpy(array)
        data = array
        row.mul_(2)  # warning: [IPL303]
        sink.put(data + 1, row)
