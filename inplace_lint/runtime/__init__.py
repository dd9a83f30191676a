"""The commands that need the real PyTorch; the only place that imports it."""

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ModuleNotFoundError("this needs PyTorch: pip install 'inplace-lint[runtime]'", name="torch")
