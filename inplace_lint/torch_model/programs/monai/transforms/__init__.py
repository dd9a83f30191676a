"""MONAI's transforms: of the values of a dictionary, some of them at random; each is given what the one before gave."""

from inplace_lint.intrinsics import surely, unknown


class Transform:
    pass


class Randomizable:
    R = unknown()

    def set_random_state(self, seed=None, state=None):
        return self

    def randomize(self, data=None):
        return None


class RandomizableTransform(Randomizable, Transform):
    def __init__(self, prob=1.0, do_transform=True):
        self.prob = prob
        self._do_transform = do_transform

    def randomize(self, data=None):
        self._do_transform = unknown()


class MapTransform(Transform):
    def __init__(self, keys, allow_missing_keys=False):
        self.keys = keys if surely(isinstance(keys, (list, tuple))) else (keys,)
        self.allow_missing_keys = allow_missing_keys

    def key_iterator(self, data, *extra_iterables):
        return self.keys if surely(not extra_iterables) else zip(self.keys, *extra_iterables, strict=False)

    def first_key(self, data):
        return self.keys[0]


class Compose(Randomizable):
    def __init__(self, transforms=None, *rest, **options):
        self.transforms = transforms if surely(isinstance(transforms, (list, tuple))) else [transforms]

    def __call__(self, input_):
        for transform in self.transforms:
            input_ = transform(input_)
        return input_
