"""Runs roma 1.8.0."""

from typing import Any

import torch._dynamo  # noqa: F401 - roma imports it, and it takes seconds: once for all changes
from torch import cat, eye, linspace, ones, randn


def _rotations(*size: int) -> Any:
    from roma import random_rotmat

    return random_rotmat(size)


def svd() -> tuple[Any, ...]:
    from roma import procrustes, special_procrustes

    def run(m: Any) -> Any:
        free, values = procrustes(m, regularization=0.1, return_singular_values=True)
        return free, values, special_procrustes(m, method="svd", return_singular_values=True)

    return run, randn(2, 3, 3, 3)


def horn() -> tuple[Any, ...]:
    from roma import special_procrustes, special_procrustes_unitquat

    def run(m: Any) -> Any:
        return special_procrustes(m, regularization=0.2), special_procrustes_unitquat(m)

    return run, randn(4, 3, 3)


def naive() -> tuple[Any, ...]:
    from roma import procrustes_naive, special_procrustes_naive

    def run(m: Any) -> Any:
        return procrustes_naive(m), special_procrustes_naive(m, return_singular_values=True)

    return run, randn(4, 3, 3)


def gram_schmidt() -> tuple[Any, ...]:
    from roma import rotmat_to_rotvec, special_gramschmidt

    return lambda m: (special_gramschmidt(m), rotmat_to_rotvec(special_gramschmidt(m))), randn(4, 3, 2)


def symmetric() -> tuple[Any, ...]:
    from roma import symmatrix_to_projective_point, symmatrixvec_to_unitquat

    def run(a: Any, x: Any) -> Any:
        whole = a + a.transpose(-1, -2)
        ways = [symmatrix_to_projective_point(whole, method=how) for how in ("horn", "eigh")]
        return [way[..., None] * way[..., None, :] for way in ways], symmatrixvec_to_unitquat(x)

    return run, randn(3, 4, 4), randn(2, 10)


def vectors() -> tuple[Any, ...]:
    from roma import rotvec_to_rotmat, rotvec_to_unitquat, unitquat_to_rotvec

    def run(v: Any) -> Any:
        quat = rotvec_to_unitquat(v)
        return rotvec_to_rotmat(v), quat, unitquat_to_rotvec(quat), unitquat_to_rotvec(-quat, shortest_arc=False)

    return run, randn(2, 3, 3)


def small_vectors() -> tuple[Any, ...]:
    from roma import rotvec_to_rotmat, rotvec_to_unitquat, unitquat_to_rotvec

    def run(v: Any) -> Any:
        small = v * 1e-4
        return rotvec_to_rotmat(small), rotvec_to_unitquat(small), unitquat_to_rotvec(rotvec_to_unitquat(small))

    return run, randn(3, 3)


def matrices() -> tuple[Any, ...]:
    from roma import quat_wxyz_to_xyzw, quat_xyzw_to_wxyz, rotmat_to_unitquat, unitquat_to_rotmat

    turned = _rotations(5)

    def run(scale: Any) -> Any:
        quat = rotmat_to_unitquat(turned * scale)
        return quat, unitquat_to_rotmat(quat), quat_wxyz_to_xyzw(quat_xyzw_to_wxyz(quat))

    return run, ones(5, 1, 1)


def sinc() -> tuple[Any, ...]:
    from roma.mappings import inv_sinc, sinc

    return lambda x: (sinc(x), inv_sinc(x), sinc(x * 1e-3)), randn(6).abs()


def euler() -> tuple[Any, ...]:
    from roma import euler_to_rotmat, euler_to_rotvec, euler_to_unitquat, rotmat_to_euler, rotvec_to_euler

    def run(angles: Any) -> Any:
        ways = euler_to_unitquat("xyz", angles), euler_to_rotvec("ZXZ", angles, degrees=True)
        back = rotmat_to_euler("XYZ", euler_to_rotmat("XYZ", angles * 0.3)), rotvec_to_euler("zxz", angles, True)
        return ways, back, euler_to_unitquat("x", angles[..., :1])

    return run, randn(3, 3)


def euler_of_locked() -> tuple[Any, ...]:
    from roma import unitquat_to_euler

    def run(quat: Any) -> Any:
        unit = quat / quat.norm(dim=-1, keepdim=True)
        return [unitquat_to_euler(how, unit, degrees=True, epsilon=1e-2) for how in ("xyz", "zyz", "XYZ")]

    return run, cat([randn(3, 4), eye(4)[[3, 0]] + randn(2, 4) * 1e-3])


def distances() -> tuple[Any, ...]:
    from roma import (
        is_rotation_matrix,
        rotmat_geodesic_distance,
        rotmat_geodesic_distance_naive,
        rotvec_geodesic_distance,
        unitquat_geodesic_distance,
    )
    from roma.utils import rotmat_cosine_angle

    one, other = _rotations(4), _rotations(4)

    def run(a: Any, v: Any, w: Any) -> Any:
        r = one * a
        of_matrices = rotmat_geodesic_distance(r, other, 0.99), rotmat_geodesic_distance_naive(r, other)
        quats = unitquat_geodesic_distance(v, w)
        held = r.sum() * float(is_rotation_matrix(one, 1e-3))
        return of_matrices, quats, rotvec_geodesic_distance(v[:, :3], w[:, :3]), rotmat_cosine_angle(r), held

    return run, ones(4, 1, 1) * 0.9, randn(4, 4) * 0.3, randn(4, 4) * 0.3


def quaternions() -> tuple[Any, ...]:
    from roma import quat_action, quat_composition, quat_inverse, quat_normalize, quat_product

    def run(p: Any, q: Any, v: Any) -> Any:
        moved = quat_action(p, v), quat_action(quat_normalize(q), v, is_normalized=True)
        return quat_product(p, q), quat_inverse(p), quat_composition([p, q, p], normalize=True), moved

    return run, randn(3, 4), randn(3, 4), randn(3, 3)


def compositions() -> tuple[Any, ...]:
    from roma import rotmat_composition, rotmat_inverse, rotvec_composition, rotvec_inverse

    turned = _rotations(3)

    def run(v: Any, w: Any, scale: Any) -> Any:
        r = turned * scale
        of_matrices = rotmat_composition([r, rotmat_inverse(r), r], normalize=True)
        return rotvec_composition([v, rotvec_inverse(w)], normalize=True), of_matrices

    return run, randn(3, 3), randn(3, 3), ones(3, 1, 1)


def slerp() -> tuple[Any, ...]:
    from roma import quat_normalize, rotmat_slerp, rotvec_slerp, unitquat_slerp

    turned, other = _rotations(3), _rotations(3)

    def run(p: Any, q: Any, v: Any, w: Any, steps: Any) -> Any:
        p, q = quat_normalize(p), quat_normalize(q)
        of_quats = unitquat_slerp(p, q, steps), unitquat_slerp(p, q, steps, shortest_arc=False)
        return of_quats, rotvec_slerp(v, w, steps), rotmat_slerp(turned, other, steps)

    return run, randn(3, 4), randn(3, 4), randn(3, 3), randn(3, 3), linspace(0.1, 0.9, 4)


def registration() -> tuple[Any, ...]:
    from roma import (
        rigid_points_registration,
        rigid_points_registration_unitquat,
        rigid_vectors_registration,
        rigid_vectors_registration_unitquat,
    )

    def run(x: Any, y: Any, weights: Any) -> Any:
        heavy = weights.exp()
        points = rigid_points_registration(x, y, heavy, True), rigid_points_registration_unitquat(x, y, heavy, True)
        vectors = rigid_vectors_registration(x, y, heavy, True), rigid_vectors_registration_unitquat(x, y)
        return points, vectors, rigid_points_registration(x, y)

    return run, randn(2, 6, 3), randn(2, 6, 3), randn(2, 6)


def rigid() -> tuple[Any, ...]:
    from roma import Rigid, rotvec_to_rotmat

    def run(v: Any, t: Any, x: Any) -> Any:
        one, other = Rigid(rotvec_to_rotmat(v), t), Rigid(rotvec_to_rotmat(v * 0.5), t * 2)
        both = one @ other.inverse()
        parts = both[1:].as_tuple(), both.normalize().to_homogeneous(), one.clone().apply(x)
        return parts, Rigid.from_homogeneous(one.to_homogeneous()).apply(x), Rigid.identity_like(one).apply(x)

    return run, randn(3, 3), randn(3, 3), randn(3, 3)


def rigid_of_quaternions() -> tuple[Any, ...]:
    from roma import RigidUnitQuat, quat_normalize

    def run(q: Any, t: Any, x: Any) -> Any:
        one = RigidUnitQuat(quat_normalize(q), t)
        both = (one @ one.inverse()).normalize()
        flat = one.to_homogeneous()
        back = RigidUnitQuat.from_homogeneous(flat).apply(x)
        return both.as_tuple(), flat, back, one.to_rigid().apply(x), one.to_rigid().to_rigidunitquat().as_tuple()

    return run, randn(3, 4), randn(3, 3), randn(3, 3)


def affine() -> tuple[Any, ...]:
    from roma import Affine, Isometry, Linear

    def run(m: Any, t: Any, x: Any) -> Any:
        one, plain = Affine(m, t), Linear(m)
        still = Isometry(None, t)
        return (one @ one).apply(x), one.inverse().apply(x), plain.inverse().apply(x), (still @ still).apply(x)

    return run, randn(3, 3, 3), randn(3, 3), randn(3, 3)
