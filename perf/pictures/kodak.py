#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Kodak pictures by the SHA-256 hashes of their pixels, red, green and blue of 8 bits, row after row: files differ
by who compressed them, pixels do not. Pillow reads them."""

import argparse
import hashlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile

PIXELS = {
    "kodim01.png": "a00210743353594464ac67e680a41710f484444ca5f9dfddeb570de25c428273",
    "kodim02.png": "ae5a495df4ec40e0941265440ccf98973915b4190ab803e37a23ca93dd43a07e",
    "kodim03.png": "234e61f585503f2a44400f5561131e8a512ef2c15328cd83d5cdbf10e2616cf2",
    "kodim04.png": "e88e788fca00e6c723bb66ff45edb8cb56091ee284dcb73e3909834f2c96eeb6",
    "kodim05.png": "ed3d1ee770909d3b27903b52ce19ee59a9bf24621a7bf1fb57b90677da880cb6",
    "kodim06.png": "7f45158999fa297d1cfbd292b3e2f3f5b27770701c3473155c211c3f512cc97f",
    "kodim07.png": "4e3664bf6fe865b49f15f7b554efa7dbecaf73ae0e8699f2e307bf07849f1264",
    "kodim08.png": "889c3740e4ed54ca53d11ae735a44d15fa24fe312b3bd1609a80618a4092c208",
    "kodim09.png": "f8453140e63a42301a6dbebb849a3cc40d34e4e59580eb1f372f7f5460df0dbe",
    "kodim10.png": "fabe11b5c4f028394e093a5b5907e5fabc8072da0d5334fb3a38547a7e1be842",
    "kodim11.png": "ab4dd9bf8431e717d33892b3ba03c63bfea3c7fa72c2610010de7df3c194c075",
    "kodim12.png": "f412db2168e599949aac26bd3264f111b23a684f30a21cfd320e9e95bc69bbae",
    "kodim13.png": "875703d56fb9396f478b5d7d3b18e2b77c17147a685c6dc2567e1c574aaf01e3",
    "kodim14.png": "2bd5029ee75ac1697542e5b05624e8afe186e3250abd7513d6a806b52084c2f0",
    "kodim15.png": "b5353e7511277009922ecbdebfc6418fec53aa1b2a08d44fc957a7540825697b",
    "kodim16.png": "ed21745fd32fce95cc2c6af7fc52b1b15e590c7a14ab18ab34bd65ecaf955ac7",
    "kodim17.png": "566bc866664e9b06dc86e2654051b454844efe17322dbf7e24156d8243f1943e",
    "kodim18.png": "3475af71066f3ca8206eb12cfc989ebe9c6e44820a96604e88ae018606e1f7bd",
    "kodim19.png": "7956408ef24222d37ac53f579bd24d5b2c3557b16c657e8b71c1b6ae9f18de1b",
    "kodim20.png": "666ce8f2db5566a123bb081e70618f6f4c4253df960f3b41bb9dcc3dd134f3cf",
    "kodim21.png": "2d6902daf7c4486b7c8c04d834091841a2b38c8f0c81cd7a963a6510b34a2a6a",
    "kodim22.png": "f430842120c108b67725ada96b8b7b2a914f6a0915eacd5595064c6c1a5d70a0",
    "kodim23.png": "81992a83592267e69125666f3e3e04c1819529b4c4c1e55fde0a6a741bac4219",
    "kodim24.png": "e3e3ccc3e795b82a3da66934409dfe98ce0f5aadc6d7767543c506453599bb98",
}


def pixels_of(path):
    from PIL import Image
    return Image.open(path).convert("RGB")


def check(folder):
    paths = []
    for name, wanted in PIXELS.items():
        path = folder / name
        if not path.is_file():
            sys.exit(f"{sys.argv[0]}: {path} is missing")
        if hashlib.sha256(pixels_of(path).tobytes()).hexdigest() != wanted:
            sys.exit(f"{sys.argv[0]}: {path} is not the picture that is known: its pixels' SHA-256 hash differs")
        paths.append(path)
    return paths


def psnr(a, b):
    from PIL import ImageChops
    # Of a histogram of differences, exactly.
    counts = ImageChops.difference(a, b).histogram()
    squares = sum(count * (level % 256) ** 2 for level, count in enumerate(counts))
    return 10 * math.log10(255 ** 2 * 3 * a.width * a.height / squares)


def coded(program, path, options):
    """What carroll tells of the picture compressed with these options, the size of the file, and the PSNR of the
    decompressed picture, by which that which is told is checked."""
    with tempfile.TemporaryDirectory() as folder:
        code, back = pathlib.Path(folder) / "code", pathlib.Path(folder) / "back.png"
        command = [program, "compress", path, *options, "-o", code, "--json"]
        report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        subprocess.run([program, "decompress", code, "-o", back], check=True, stdout=subprocess.DEVNULL)
        found = psnr(pixels_of(back), pixels_of(path))
        if abs(found - report["psnr"]) > 1e-3:
            sys.exit(f"{sys.argv[0]}: {path.name} {options}: told {report['psnr']} dB, found {found} dB")
        return report, code.stat().st_size, found


def write_record(path, record):
    """With a line for each point."""
    path.write_text(json.dumps(record, separators=(",", ":")).replace("},{", "},\n{") + "\n")


def write_table(page, name, table):
    """Into the page, between the comments that name it."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, rest = page.read_text().split(begin)
    page.write_text(before + begin + "\n" + table + "\n" + end + rest.split(end)[1])


def parser_of(description):
    """Of the options that programs on these pictures share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("program", nargs="?", help="carroll, as it was built")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, help="where the Kodak pictures are")
    parser.add_argument("--record", type=pathlib.Path, required=True, help="what was measured, written or read")
    parser.add_argument("--pages", type=pathlib.Path, help="a page whose table is written from the record")
    return parser
