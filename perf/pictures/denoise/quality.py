#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well pictures are denoised: peak signal-to-noise ratios with white noise of standard deviation 25, beside what
was published, on the twelve pictures of Set12, picture by picture, or on the 68 of BSD68, in the mean.

The pictures are not Carroll's to hand on; https://github.com/cszn/DnCNN has both sets. Whoever has them names the
folder: 01.png to 12.png, or test001.png to test068.png, grey, of 8 bits. SHA-256 hashes of pixels, row after row, are
checked. Pillow reads them. Published values are by Zhang, Zuo, Chen, Meng and Zhang, Beyond a Gaussian denoiser, IEEE
Transactions on Image Processing 2017: of BSD68 as their README has them (commit e93b2781), of Set12 by table III, copied
by hand and not checked against a public copy. Noise differs by its seed, which is worth 0.03 dB of a mean of twelve.

  quality.py build/openmp/bin/denoise_quality SET12
  quality.py build/openmp/bin/denoise_quality BSD68 --set bsd68 --jobs 16"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from PIL import Image

# Of each file: name, BM3D, WNNM, and the hash of its pixels.
PICTURES = {
    "01.png": ("cameraman", 29.45, 29.64,
               "7e12901bff000a7fc1220c9667108353e9ef9a1b7bb406d34256016bfacb71d2"),
    "02.png": ("house", 32.85, 33.22,
               "89f9a4126518c21d8ef8920c632e738b8a8e8b9513b2a52703c2e3d3b01c8202"),
    "03.png": ("peppers", 30.16, 30.42,
               "9354428e02da09055930ae27e43676de960a9b9c77fd517a60adeeadbcd4eada"),
    "04.png": ("starfish", 28.56, 29.03,
               "87b2dfff0735e3a9d4277aa7d0543ec07cbeec46b340e085d497be08f4149b9c"),
    "05.png": ("monarch", 29.25, 29.84,
               "1ea2dfa9f236cfbfd01ee1896027927a488e27314692c586708bd6aecc54b557"),
    "06.png": ("airplane", 28.42, 28.69,
               "71ec37f601e180463b27173d3791a9e880714708f09411a60ea6a63e58217794"),
    "07.png": ("parrot", 28.93, 29.15,
               "fdb37a046a77a06dd0d30adcedf3318ed1af1528e228bdaad82412830325e671"),
    "08.png": ("lena", 32.07, 32.24,
               "3398ca972eaab19f8331f080d8161d928db87693d1ed5c8a94381d350828a462"),
    "09.png": ("barbara", 30.71, 31.24,
               "79f36e2eeecf465a6e14b7c547969bb8c3bf5ab8e832205b95ba040fe012e927"),
    "10.png": ("boat", 29.90, 30.03,
               "b292548c463580074f3032fdecf2c1873114b797d0827a1e52e9ef37c99989f7"),
    "11.png": ("man", 29.61, 29.76,
               "c4d5d2ca03a2a68c3eb9f691f6e2ab9d3712a1f99598ed1c118b22c6d416bef5"),
    "12.png": ("couple", 29.71, 29.82,
               "777c75f2c468ce89178f06c0202fa4433fb5327535eddb8c7733eed7deb5a29e"),
}
BSD68 = [f"test{i:03}.png" for i in range(1, 69)]
BSD68_MEANS = (28.57, 28.83)  # BM3D, WNNM
# Of all pixels, one picture after the other.
BSD68_HASH = "2e37a02ad4b84de9ca0f7870c4601b0293e6a4aa02bb3dd2fa3f108949c9e9fe"
SIGMA = 25


def pixels(path: pathlib.Path) -> tuple[bytes, int, int]:
    if not path.is_file():
        sys.exit(f"quality.py: {path} is missing")
    with Image.open(path) as picture:
        grey = picture.convert("L")
        return grey.tobytes(), grey.height, grey.width


def check(folder: pathlib.Path, names: list[str]) -> None:
    if names == BSD68:
        found = hashlib.sha256(b"".join(pixels(folder / name)[0] for name in names)).hexdigest()
        if found != BSD68_HASH:
            sys.exit(f"quality.py: {folder} has other pictures than those of BSD68: their pixels' SHA-256 hash differs")
        return
    for name in names:
        if hashlib.sha256(pixels(folder / name)[0]).hexdigest() != PICTURES[name][3]:
            sys.exit(f"quality.py: {folder / name} is not the picture that values are known of: "
                     "its pixels' SHA-256 hash differs")


def denoised(path: pathlib.Path, options: argparse.Namespace) -> dict:
    data, height, width = pixels(path)
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        command = [options.program, file.name, str(height), str(width), str(SIGMA), options.effort, str(options.seed)]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output.splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="denoise_quality, as it was built")
    parser.add_argument("folder", type=pathlib.Path, help="with the pictures")
    parser.add_argument("--set", choices=["set12", "bsd68"], default="set12")
    parser.add_argument("--effort", choices=["thorough", "fast"], default="thorough")
    parser.add_argument("--picture", action="append", choices=list(PICTURES), help="of Set12; default: all")
    parser.add_argument("--seed", type=int, default=0, help="of the noise")
    parser.add_argument("--jobs", type=int, default=1, help="pictures at a time")
    options = parser.parse_args()
    names = BSD68 if options.set == "bsd68" else options.picture or list(PICTURES)
    check(options.folder, names)
    print("picture    BM3D   WNNM   Carroll  estimated  seconds")
    found = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, result in zip(names, pool.map(lambda name: denoised(options.folder / name, options), names)):
            found.append(result["psnr"])
            title, bm3d, wnnm, _ = PICTURES.get(name, (name[:-4], None, None, None))
            published = f"{bm3d:.2f}  {wnnm:.2f}" if bm3d else "–      –   "
            print(f"{title:9}  {published}  {result['psnr']:.3f}   {result['estimated']:6.2f}"
                  f"  {result['seconds']:9.2f}", flush=True)
    means = BSD68_MEANS
    if options.set == "set12":
        means = tuple(statistics.mean(PICTURES[name][column] for name in names) for column in (1, 2))
    mean = statistics.mean(found)
    print(f"mean       {means[0]:.2f}  {means[1]:.2f}  {mean:.3f}")
    reached = mean >= means[options.effort == "thorough"] - 0.05
    print("reached" if reached else "missed", "what was published, less 0.05 dB")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
