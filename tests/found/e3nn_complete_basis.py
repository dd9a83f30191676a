"""`complete_basis` raises if its vectors require grad

The function walks over the rows of an identity matrix and orthogonalizes each in place: `x -= torch.dot(x, y) * y`.
The rows are views that iteration makes together, like `unbind`; PyTorch refuses to write one of them as soon as the
new value requires grad. The other functions of the file, `orthonormalize` among them, work out of place and can be
differentiated.
"""

import inspect

import torch
from e3nn.math import _linalg

RELEASE = "e3nn==0.6.0"
NEEDS = ["numpy", "scipy", "sympy", "mpmath", "opt_einsum_fx", "opt_einsum", "packaging"]
FINDINGS = [
    "e3nn/math/_linalg.py:92:13: warning[IPL103] `-=` modifies `x`, one of several views that autograd ties together if `vecs` requires grad",
    "e3nn/math/_linalg.py:94:13: warning[IPL103] `/=` modifies `x`, one of several views that autograd ties together if `vecs` requires grad",
    "e3nn/math/_linalg.py:96:13: warning[IPL103] `*=` modifies `x`, one of several views that autograd ties together if `vecs` requires grad",
]
EFFECT = "raises at the write, for everyone who differentiates"
CURE = [
    ("x -= torch.dot(x, y) * y", "x = x - torch.dot(x, y) * y"),
    ("x /= x.norm()", "x = x / x.norm()"),
    ("x *= x[x.nonzero()[0, 0]].sign()", "x = x * x[x.nonzero()[0, 0]].sign()"),
]
PRINTS = """
released: RuntimeError: A view was created in no_grad mode and is being modified inplace with grad mode enabled
cured:    a basis of 2 vectors, gradient [-0.21, -0.007, 0.111]
"""


def gradient() -> str:
    vectors = torch.tensor([[1.0, 2.0, 2.0]], dtype=torch.float64, requires_grad=True)
    try:
        basis = _linalg.complete_basis(vectors)
        basis[0, 1].backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split('. ')[0]}"
    return f"a basis of {basis.shape[0]} vectors, gradient {[round(value, 3) for value in vectors.grad[0].tolist()]}"


released = gradient()
source = inspect.getsource(_linalg)
for old, new in CURE:
    source = source.replace(old, new)
exec(source, vars(_linalg))
cured = gradient()

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured.startswith("a basis of 2 vectors")
