"""`weakref`: references to objects that others keep alive."""


class ref:
    def __init__(self, object, callback=None):
        self._object = object

    def __call__(self):
        return self._object


def proxy(object, callback=None):
    return object
