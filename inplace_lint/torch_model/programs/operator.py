"""`operator`: what operators do, as functions."""


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


def truediv(a, b):
    return a / b


def matmul(a, b):
    return a @ b


def pow(a, b):
    return a**b


def neg(a):
    return -a


def abs(a):
    return a.__abs__()


def iadd(a, b):
    a += b
    return a


def isub(a, b):
    a -= b
    return a


def imul(a, b):
    a *= b
    return a


def itruediv(a, b):
    a /= b
    return a


def ipow(a, b):
    a **= b
    return a


def getitem(a, b):
    return a[b]


def setitem(a, b, c):
    a[b] = c
