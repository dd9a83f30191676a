"""`argparse`: what a program is told on its command line, by default or in whatever other way."""

from argparse import Namespace

from inplace_lint.intrinsics import is_constant, perhaps, unknown


class ArgumentParser:
    """Collects defaults; a group of options does so for its parser."""

    def __init__(self, *args, **kwargs):
        self._defaults = {}
        self._options = {}  # by flag

    def add_argument(self, *flags, dest=None, default=None, action=None, **others):
        option = dest if is_constant(dest) and dest else _option(flags)
        required = default is None and option is not None and option in flags
        if option is not None and not required:
            if default is None and is_constant(action) and action in ("store_true", "store_false"):
                default = action == "store_false"
            self._defaults[option] = default
            for flag in flags:
                self._options[flag] = option

    def add_argument_group(self, *args, **kwargs):
        return self

    def add_mutually_exclusive_group(self, *args, **kwargs):
        return self

    def set_defaults(self, **defaults):
        self._defaults.update(defaults)

    def parse_args(self, args=None, namespace=None):
        told = Namespace()
        if perhaps():
            said = [self._options.get(word.split("=")[0]) for word in args or () if is_constant(word)]
            for option, default in self._defaults.items():
                if option not in said and is_constant(default):
                    setattr(told, option, default)
        return told

    def parse_known_args(self, args=None, namespace=None):
        return self.parse_args(args), unknown()


def _option(flags):
    """The attribute that an argument becomes; None if it has no name."""
    found = flags[0] if len(flags) == 1 and is_constant(flags[0]) else None
    for flag in flags:
        if is_constant(flag) and flag.startswith("--"):
            return _attribute(flag)
        if is_constant(flag) and flag.startswith("-"):
            found = _attribute(flag)
    return found


def _attribute(flag):
    return flag.lstrip("-").replace("-", "_")
