# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of real cameras in public repositories, and the motion that is known of them. See real_pairs.py.

Each of the repositories has to have the Git object hash that stands here for what is read of it."""

import pathlib
import subprocess
import sys

import cv2
import numpy as np

HASHES = {  # of Git, by repository and path
    ("niconielsen32/VisualSLAM", "KITTI_sequence_1"): "c2beceffb5a02c1ce129534519d5dd88dda7b7b6",
    ("niconielsen32/VisualSLAM", "KITTI_sequence_2"): "6ca394d1568de25cc9de8f5d9a771e3f92dbc0f4",
    ("MIT-SPARK/Kimera-VIO", "tests/data/MicroEurocDataset"): "684ad544a8950d1ede76923d723bbab9a0033842",
    ("albert100121/360SD-Net", "data"): "cb6f209f4d17bd220050dad108cb4e23a787ee75",
    ("mikiec84/Open3D", "examples/TestData/RGBD"): "4ad25af048fec99fc4b981dff5b2d2eb4077586b",
    ("mpetroff/pannellum", "examples/examplepano.jpg"): "b662762fa9764d127095b4d56771e26b5aee7e7a",
    ("gaoxiang12/slambook2", "ch5"): "ee59c6d23d59259bbbac7877e541185bf436702d",
}

# From OpenCV's axes (right, down, forward) to Carroll's (forward, left, up).
AXES = np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]])

# The calibration of EuRoC's two cameras: T_BS, intrinsics, distortion (Burri and others 2016).
EUROC = (
    ([[0.0148655429818, -0.999880929698, 0.00414029679422, -0.0216401454975],
      [0.999557249008, 0.0149672133247, 0.025715529948, -0.064676986768],
      [-0.0257744366974, 0.00375618835797, 0.999660727178, 0.00981073058949]],
     [458.654, 457.296, 367.215, 248.375], [-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05]),
    ([[0.0125552670891, -0.999755099723, 0.0182237714554, -0.0198435579556],
      [0.999598781151, 0.0130119051815, 0.0251588363115, 0.0453689425024],
      [-0.0253898008918, 0.0179005838253, 0.999517347078, 0.00786212447038]],
     [457.587, 456.134, 379.999, 255.238], [-0.28368365, 0.07451284, -0.00010473, -3.55590700e-05]),
)


class Repositories:
    """Files of the copies, of which the hash is checked."""

    def __init__(self, folder: pathlib.Path):
        self.folder, self.checked = folder, set()

    def git(self, owner_name: str, *arguments: str) -> bytes:
        path = self.folder / owner_name
        path = path / ".git" if (path / ".git").exists() else path
        process = subprocess.run(["git", f"--git-dir={path}", *arguments], capture_output=True)
        if process.returncode:
            sys.exit(f"real_pictures.py: {path}: {process.stderr.decode().strip()}")
        return process.stdout

    def read(self, owner_name: str, path: str) -> bytes:
        root = next(p for (r, p) in HASHES if r == owner_name and (path + "/").startswith(p + "/"))
        if (owner_name, root) not in self.checked:
            found = self.git(owner_name, "rev-parse", f"HEAD:{root}").decode().strip()
            if found != HASHES[owner_name, root]:
                sys.exit(f"real_pictures.py: {owner_name}:{root} is {found}, not what results are known of")
            self.checked.add((owner_name, root))
        return self.git(owner_name, "cat-file", "blob", f"HEAD:{path}")

    def picture(self, owner_name: str, path: str, flags: int = cv2.IMREAD_GRAYSCALE) -> np.ndarray:
        return cv2.imdecode(np.frombuffer(self.read(owner_name, path), np.uint8), flags)


def pinhole(picture: np.ndarray, f, c) -> dict:
    height, width = picture.shape
    return {"model": "unified", "width": width, "height": height, "fx": f[0], "fy": f[1],
            "cx": c[0], "cy": c[1], "chi": 0}


def whole_sphere(picture: np.ndarray) -> dict:
    return {"model": "equirectangular", "width": picture.shape[1], "height": picture.shape[0]}


def range_of(depth: np.ndarray, camera: dict) -> np.ndarray:
    """Distance from the camera of what has the depth along its axis; NaN where that is none."""
    v, u = np.mgrid[0:depth.shape[0], 0:depth.shape[1]]
    x, y = (u - camera["cx"]) / camera["fx"], (v - camera["cy"]) / camera["fy"]
    return np.where(depth > 0, depth * np.sqrt(1 + x * x + y * y), np.nan).astype(np.float32)


def range_by_stereo(left: np.ndarray, right: np.ndarray, camera: dict, baseline: float) -> np.ndarray:
    matcher = cv2.StereoSGBM_create(0, 128, 5, 200, 800, 1, 31, 5, 100, 2)
    disparity = matcher.compute(left, right).astype(np.float64) / 16
    depth = np.where(disparity > 2, camera["fx"] * baseline / np.maximum(disparity, 1e-3), 0)
    return range_of(depth, camera)


def to_carroll(relative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return AXES @ relative[:3, :3] @ AXES.T, AXES @ relative[:3, 3]


class Kitti:
    def __init__(self, repositories: Repositories, letter: str):
        self.folder = f"KITTI_sequence_{1 + 'ab'.index(letter)}"
        self.read = lambda name: repositories.read("niconielsen32/VisualSLAM", f"{self.folder}/{name}")
        self.picture = lambda side, i: repositories.picture(
            "niconielsen32/VisualSLAM", f"{self.folder}/image_{side}/{i:06d}.png")
        numbers = [float(x) for x in self.read("calib.txt").split()]
        self.f, self.c, self.baseline = numbers[0], (numbers[2], numbers[6]), -numbers[15] / numbers[0]
        poses = [np.array(line.split(), float).reshape(3, 4) for line in self.read("poses.txt").splitlines()]
        self.poses = [np.vstack([pose, [0, 0, 0, 1]]) for pose in poses]

    def pair(self, i: int, j: int) -> dict:
        reference = self.picture("l", i)
        camera = pinhole(reference, (self.f, self.f), self.c)
        return {"pictures": (reference, self.picture("l", j)), "camera": camera,
                "motion": to_carroll(np.linalg.inv(self.poses[i]) @ self.poses[j]),
                "range": lambda: range_by_stereo(reference, self.picture("r", i), camera, self.baseline)}

    def stereo(self, i: int) -> dict:
        left, right = self.picture("l", i), self.picture("r", i)
        camera = pinhole(left, (self.f, self.f), self.c)
        return {"pictures": (left, right), "camera": camera,
                "motion": (np.eye(3), np.array([0, -self.baseline, 0])),
                "range": lambda: range_by_stereo(left, right, camera, self.baseline)}


class Euroc:
    """Rectified as a pair, so that both pictures have one camera."""

    def __init__(self, repositories: Repositories):
        self.root = "tests/data/MicroEurocDataset/mav0"
        self.repositories = repositories
        names = repositories.read("MIT-SPARK/Kimera-VIO", f"{self.root}/cam1/data.csv").decode().split()
        self.names = [name.split(",")[1] for name in names if name.endswith(".png")][:95]  # of 100 listed
        body = [np.vstack([np.array(sensor[0]), [0, 0, 0, 1]]) for sensor in EUROC]
        relative = np.linalg.inv(body[1]) @ body[0]
        k = [np.array([[s[1][0], 0, s[1][2]], [0, s[1][1], s[1][3]], [0, 0, 1]]) for s in EUROC]
        size = (752, 480)
        turns = cv2.stereoRectify(k[0], np.array(EUROC[0][2]), k[1], np.array(EUROC[1][2]), size,
                                  relative[:3, :3], relative[:3, 3], flags=cv2.CALIB_ZERO_DISPARITY, alpha=0)
        self.p = turns[2]
        self.baseline = -turns[3][0, 3] / self.p[0, 0]
        self.maps = [cv2.initUndistortRectifyMap(k[i], np.array(EUROC[i][2]), turns[i], turns[2 + i][:, :3], size,
                                                 cv2.CV_32FC1) for i in (0, 1)]

    def picture(self, side: int, i: int) -> np.ndarray:
        raw = self.repositories.picture("MIT-SPARK/Kimera-VIO", f"{self.root}/cam{side}/data/{self.names[i]}")
        return cv2.remap(raw, *self.maps[side], cv2.INTER_LINEAR)

    def camera(self, picture: np.ndarray) -> dict:
        return pinhole(picture, (self.p[0, 0], self.p[1, 1]), (self.p[0, 2], self.p[1, 2]))

    def stereo(self, i: int) -> dict:
        left, right = self.picture(0, i), self.picture(1, i)
        camera = self.camera(left)
        return {"pictures": (left, right), "camera": camera,
                "motion": (np.eye(3), np.array([0, -self.baseline, 0])),
                "range": lambda: range_by_stereo(left, right, camera, self.baseline)}

    def still(self, i: int, j: int) -> dict:
        """The drone stands; whoever looks at the pictures agrees to a tenth of a degree."""
        left = self.picture(0, i)
        return {"pictures": (left, self.picture(0, j)), "camera": self.camera(left),
                "motion": (np.eye(3), np.zeros(3)), "range": lambda: None}


def upright(repositories: Repositories, group: str, name: str) -> dict:
    """Two panoramas, one straight below the other."""
    both = [repositories.picture("albert100121/360SD-Net", f"data/{group}/image_{where}/{name}.png")
            for where in ("up", "down")]
    return {"pictures": both, "camera": whole_sphere(both[0]), "motion": (np.eye(3), np.array([0, 0, -1.0])),
            "range": lambda: None}


def living_room(repositories: Repositories, i: int, j: int) -> dict:
    folder = "examples/TestData/RGBD"
    lines = repositories.read("mikiec84/Open3D", f"{folder}/odometry.log").decode().splitlines()
    poses = [np.array([line.split() for line in lines[5 * k + 1:5 * k + 5]], float) for k in range(5)]
    colour = [repositories.picture("mikiec84/Open3D", f"{folder}/color/{k:05d}.jpg") for k in (i, j)]
    depth = repositories.picture("mikiec84/Open3D", f"{folder}/depth/{i:05d}.png", cv2.IMREAD_UNCHANGED)
    camera = pinhole(colour[0], (525.0, 525.0), (319.5, 239.5))
    return {"pictures": colour, "camera": camera, "motion": to_carroll(np.linalg.inv(poses[i]) @ poses[j]),
            "range": lambda: range_of(depth / 1000.0, camera)}


def turned_panorama(repositories: Repositories, axis: tuple[float, float, float], degrees: float) -> dict:
    pano = repositories.picture("mpetroff/pannellum", "examples/examplepano.jpg")
    pano = cv2.resize(pano, (2048, 1024), interpolation=cv2.INTER_AREA)
    height, width = pano.shape
    rotation = cv2.Rodrigues(np.radians(degrees) * np.array(axis) / np.linalg.norm(axis))[0]
    v, u = np.mgrid[0:height, 0:width]
    azimuth, elevation = ((width - 1) / 2 - u) * 2 * np.pi / width, ((height - 1) / 2 - v) * np.pi / height
    rays = np.stack([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth),
                     np.sin(elevation)], -1) @ rotation.T
    x = (width - 1) / 2 - np.arctan2(rays[..., 1], rays[..., 0]) * width / (2 * np.pi)
    y = (height - 1) / 2 - np.arcsin(np.clip(rays[..., 2], -1, 1)) * height / np.pi
    turned = cv2.remap(pano, np.mod(x, width).astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR,
                       borderMode=cv2.BORDER_WRAP)
    halves = [cv2.resize(picture, (1024, 512), interpolation=cv2.INTER_AREA) for picture in (pano, turned)]
    return {"pictures": halves, "camera": whole_sphere(halves[0]), "motion": (rotation, np.zeros(3)),
            "range": lambda: None}


def desk(repositories: Repositories, i: int, j: int) -> dict:
    lines = repositories.read("gaoxiang12/slambook2", "ch5/rgbd/pose.txt").decode().split()
    poses = np.array(lines, float).reshape(-1, 7)
    matrices = []
    for x, y, z, a, b, c, w in poses:
        pose = np.eye(4)
        axis = np.array([a, b, c])
        angle = 2 * np.arctan2(np.linalg.norm(axis), w)
        pose[:3, :3] = cv2.Rodrigues(angle * axis / np.linalg.norm(axis))[0]
        pose[:3, 3] = x, y, z
        matrices.append(pose)
    both = [repositories.picture("gaoxiang12/slambook2", f"ch5/rgbd/color/{k + 1}.png") for k in (i, j)]
    depth = repositories.picture("gaoxiang12/slambook2", f"ch5/rgbd/depth/{i + 1}.pgm", cv2.IMREAD_UNCHANGED)
    camera = pinhole(both[0], (518.0, 519.0), (325.5, 253.5))
    return {"pictures": both, "camera": camera, "motion": to_carroll(np.linalg.inv(matrices[i]) @ matrices[j]),
            "range": lambda: range_of(depth / 1000.0, camera)}
