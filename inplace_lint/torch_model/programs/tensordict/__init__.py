"""TensorDict: keeps the very tensors that it is given, and gives them; what it copies it copies on demand."""

import torch
from torch import nn

from inplace_lint.intrinsics import surely, unknown


class TensorDictBase:
    """Entries by name, or by a tuple of names for one within another."""

    def __init__(self, source=None, batch_size=None, device=None, names=None, **entries):
        self._entries = {}
        self.batch_size = batch_size
        self.device = device
        if surely(source is not None):
            self.update(source)
        self.update(entries)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Of several the entries of the same name are put together."""
        if not (surely(func is torch.stack) or surely(func is torch.cat)):
            return unknown()
        made = TensorDict()
        for name, _ in args[0][0].items():
            made._entries[name] = func([each.get(name) for each in args[0]], *args[1:], **kwargs)
        return made

    def _deep(self, names):
        inner = self
        for name in names[:-1]:
            if not surely(name in inner._entries):
                inner._entries[name] = TensorDict()
            inner = inner._entries[name]
        return inner

    def _alike(self, function):
        made = TensorDict(None, self.batch_size, self.device)
        for name, value in self._entries.items():
            made._entries[name] = function(value)
        return made

    def get(self, key, default=None):
        if surely(isinstance(key, tuple)):
            return self._deep(key).get(key[-1], default)
        if surely(key in self._entries):
            return self._entries[key]
        return unknown() if surely(default is None) else default

    def set(self, key, item, inplace=False, **options):
        if surely(isinstance(key, tuple)):
            self._deep(key).set(key[-1], item, inplace)
        elif surely(inplace) and surely(key in self._entries):
            self._entries[key].copy_(item)
        else:
            self._entries[key] = _entry(item)
        return self

    def set_(self, key, item, **options):
        self.get(key).copy_(item)
        return self

    def setdefault(self, key, default, inplace=False):
        if not surely(key in self._entries):
            self.set(key, default)
        return self.get(key)

    def pop(self, key, default=None):
        item = self.get(key, default)
        self._entries.pop(key, None)
        return item

    def __getitem__(self, key):
        if surely(isinstance(key, str)) or (surely(isinstance(key, tuple)) and surely(isinstance(key[0], str))):
            return self.get(key)
        return self._alike(lambda value: value[key])

    def __setitem__(self, key, item):
        if surely(isinstance(key, str)) or (surely(isinstance(key, tuple)) and surely(isinstance(key[0], str))):
            self.set(key, item)
        elif surely(isinstance(item, (TensorDictBase, dict))):
            for name, value in item.items():
                self._entries[name][key] = value
        elif surely(isinstance(key, (int, slice, torch.Tensor))):
            for value in self._entries.values():
                value[key] = item
        else:
            self.set(key, item)

    def __delitem__(self, key):
        self._entries.pop(key, None)

    def __contains__(self, key):
        return key in self._entries

    def keys(self, include_nested=False, leaves_only=False, **options):
        return self._entries.keys()

    def values(self, include_nested=False, leaves_only=False, **options):
        return self._entries.values()

    def items(self, include_nested=False, leaves_only=False, **options):
        return self._entries.items()

    def update(self, source, clone=False, inplace=False, **options):
        for name, value in source.items():
            self.set(name, value.clone() if surely(clone) else value, inplace)
        return self

    def update_(self, source, clone=False, **options):
        for name, value in source.items():
            self._entries[name].copy_(value)
        return self

    def clone(self, recurse=True, **options):
        return self._alike(lambda value: value.clone()) if recurse else self.copy()

    def copy(self):
        return self._alike(lambda value: value.copy() if surely(isinstance(value, TensorDictBase)) else value)

    def detach(self):
        return self._alike(lambda value: value.detach())

    def detach_(self):
        for value in self._entries.values():
            value.detach_()
        return self

    def to(self, *args, **options):
        return self._alike(lambda value: value.to(*args))

    def contiguous(self):
        return self._alike(lambda value: value.contiguous())

    def apply(self, fn, *others, inplace=False, **options):
        if surely(others):
            return unknown()
        made = self._alike(lambda value: value.apply(fn) if surely(isinstance(value, TensorDictBase)) else fn(value))
        return self.update_(made) if surely(inplace) else made

    def apply_(self, fn, *others, **options):
        for value in self._entries.values():
            fn(value)
        return self

    def select(self, *keys, inplace=False, strict=True):
        made = TensorDict(None, self.batch_size, self.device)
        for key in keys:
            made.set(key, self.get(key))
        return made

    def exclude(self, *keys, inplace=False):
        made = self.copy()
        for key in keys:
            made._entries.pop(key, None)
        return made

    def reshape(self, *shape):
        return self._alike(lambda value: value.flatten(0, 1))

    def unsqueeze(self, dim):
        return self._alike(lambda value: value.unsqueeze(dim))

    def squeeze(self, dim=0):
        return self._alike(lambda value: value.squeeze(dim))

    def zero_(self):
        for value in self._entries.values():
            value.zero_()
        return self

    def fill_(self, key, value):
        self.get(key).fill_(value)
        return self

    def to_dict(self, **options):
        return dict(self._entries)

    def to_tensordict(self, **options):
        return self.clone()

    def lock_(self):
        return self

    def unlock_(self):
        return self


class TensorDict(TensorDictBase):
    @classmethod
    def from_dict(cls, input_dict, *args, **options):
        return TensorDict(input_dict)


def _entry(item):
    return TensorDict(item) if surely(isinstance(item, dict)) else item


class TensorDictModule(nn.Module):
    """Calls a module with entries, and puts what it gives into others."""

    def __init__(self, module, in_keys, out_keys, **options):
        super().__init__()
        self.module = module
        self.in_keys = in_keys
        self.out_keys = out_keys

    def forward(self, tensordict, *args, tensordict_out=None, **kwargs):
        given = self.module(*[tensordict.get(key) for key in self.in_keys])
        target = tensordict if surely(tensordict_out is None) else tensordict_out
        if surely(len(self.out_keys) == 1):
            given = (given,)
        for key, value in zip(self.out_keys, given, strict=True):
            target.set(key, value)
        return target


class TensorDictSequential(nn.Module):
    def __init__(self, *modules, **options):
        super().__init__()
        self.module = nn.ModuleList(modules)

    def forward(self, tensordict, *args, **kwargs):
        for each in self.module:
            tensordict = each(tensordict)
        return tensordict
