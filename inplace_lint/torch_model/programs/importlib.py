"""`importlib`: the names of a module as a mapping, which `globals()` and `module.__dict__` give."""


class _Namespace:
    def __init__(self, module):
        self._module = module

    def __getitem__(self, name):
        return getattr(self._module, name)

    def __setitem__(self, name, value):
        setattr(self._module, name, value)

    def __contains__(self, name):
        return hasattr(self._module, name)

    def get(self, name, default=None):
        return getattr(self._module, name, default)

    def update(self, names):
        for name, value in names.items():
            setattr(self._module, name, value)

    def keys(self):
        return dir(self._module)

    def __iter__(self):
        return iter(self.keys())

    def values(self):
        return [getattr(self._module, name) for name in self.keys()]

    def items(self):
        return [(name, getattr(self._module, name)) for name in self.keys()]

    def copy(self):
        return self
