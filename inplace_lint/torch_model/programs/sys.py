"""`sys`: the modules of a program by their names."""

import importlib


class _Modules:
    def __getitem__(self, name):
        return importlib.import_module(name)

    def get(self, name, default=None):
        return importlib.import_module(name)


modules = _Modules()
