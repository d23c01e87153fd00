# SPDX-License-Identifier: BSD-3-Clause
"""The motion between two pictures by OpenCV: SIFT, the ratio test, and an essential matrix of matches' bearings.

Pinhole pictures take findEssentialMat (five points, RANSAC) and recoverPose. For panoramas, which those do not know,
the same is done with bearings and eight points."""

import json
import pathlib

import cv2
import numpy as np

AXES = np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]])  # from OpenCV's axes to Carroll's


def matches(reference: np.ndarray, current: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sift = cv2.SIFT_create(4000)
    (points, features), (others, other_features) = (sift.detectAndCompute(x, None) for x in (reference, current))
    if features is None or other_features is None or len(features) < 2 or len(other_features) < 2:
        return np.zeros((0, 2)), np.zeros((0, 2))
    pairs = [pair for pair in cv2.BFMatcher().knnMatch(features, other_features, k=2) if len(pair) == 2]
    kept = [a for a, b in pairs if a.distance < 0.8 * b.distance]
    return (np.array([points[a.queryIdx].pt for a in kept]).reshape(-1, 2),
            np.array([others[a.trainIdx].pt for a in kept]).reshape(-1, 2))


def bearings(points: np.ndarray, camera: dict) -> np.ndarray:
    width, height = camera["width"], camera["height"]
    azimuth = ((width - 1) / 2 - points[:, 0]) * 2 * np.pi / width
    elevation = ((height - 1) / 2 - points[:, 1]) * np.pi / height
    return np.stack([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], -1)


def eight_points(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """E of b'Ea = 0, with two equal singular values."""
    rows = np.einsum("ni,nj->nij", b, a).reshape(-1, 9)
    u, _, v = np.linalg.svd(np.linalg.svd(rows)[2][-1].reshape(3, 3))
    return u @ np.diag([1.0, 1, 0]) @ v


def residuals(essential: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    lines = a @ essential.T
    return np.abs(np.sum(b * lines, 1)) / np.maximum(np.linalg.norm(lines, axis=1), 1e-12)


def pose_of(essential: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The one of four poses x_b = Rx_a + t that has most points in front of both bearings."""
    u, _, v = np.linalg.svd(essential)
    u, v = u * np.linalg.det(u), v * np.linalg.det(v)
    w = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    best, most = (np.eye(3), np.zeros(3)), -1
    for rotation in (u @ w @ v, u @ w.T @ v):
        for t in (u[:, 2], -u[:, 2]):
            turned = a @ rotation.T
            # depth_a·turned + t = depth_b·b, least squares of two unknowns
            cosine = np.sum(turned * b, 1)
            along_a, along_b = turned @ t, b @ t
            scale = np.maximum(1 - cosine**2, 1e-12)
            front = ((cosine * along_b - along_a) / scale > 0) & ((along_b - cosine * along_a) / scale > 0)
            if front.sum() > most:
                best, most = (rotation, t), front.sum()
    return best


def panorama_pose(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    generator, best, most = np.random.default_rng(1), None, -1
    for _ in range(1000):
        chosen = generator.choice(len(a), 8, replace=False)
        inliers = residuals(eight_points(a[chosen], b[chosen]), a, b) < 0.003
        if inliers.sum() > most:
            best, most = inliers, inliers.sum()
    a, b = a[best], b[best]
    return pose_of(eight_points(a, b), a, b)


def opencv_motion(folder: pathlib.Path) -> tuple[np.ndarray, np.ndarray] | None:
    """Rotation and unit translation of the current camera in Carroll's axes of the reference; None: too few matches."""
    camera = json.loads((folder / "camera.json").read_text())
    reference, current = (cv2.imread(str(folder / name), cv2.IMREAD_GRAYSCALE)
                          for name in ("reference.png", "current.png"))
    points, others = matches(reference, current)
    if len(points) < 12:
        return None
    if camera["model"] == "equirectangular":
        rotation, t = panorama_pose(bearings(points, camera), bearings(others, camera))
        return rotation.T, -rotation.T @ t
    matrix = np.array([[camera["fx"], 0, camera["cx"]], [0, camera["fy"], camera["cy"]], [0, 0, 1]])
    essential, mask = cv2.findEssentialMat(points, others, matrix, cv2.RANSAC, 0.999, 1.0)
    if essential is None or essential.shape != (3, 3):
        return None
    _, rotation, t, _ = cv2.recoverPose(essential, points, others, matrix, mask=mask)
    return AXES @ rotation.T @ AXES.T, AXES @ (-rotation.T @ t[:, 0])
