# SPDX-License-Identifier: BSD-3-Clause
"""Grey JPEG pictures written by hand, from the specification (ITU-T T.81): baseline, nothing quantised but to whole
numbers, Huffman codes that are all of one length."""

import math
import struct

ZIGZAG = sorted(range(64), key=lambda k: (k // 8 + k % 8, (k // 8 if (k // 8 + k % 8) % 2 else k % 8)))
COSINES = [[math.sqrt((1 if u == 0 else 2) / 8) * math.cos((2 * x + 1) * u * math.pi / 16) for x in range(8)]
           for u in range(8)]
DC_SYMBOLS = list(range(12))
AC_SYMBOLS = [0x00, 0xF0] + [run << 4 | size for run in range(16) for size in range(1, 11)]


def segment(marker, data):
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def table(kind, symbols, length):
    counts = [len(symbols) if bits == length else 0 for bits in range(1, 17)]
    return segment(0xC4, bytes([kind << 4] + counts + symbols))


def coefficients(block):
    """The cosine transform of 8 x 8 numbers, rows and columns in order."""
    rows = [[sum(c * x for c, x in zip(cosine, row)) for cosine in COSINES] for row in block]
    return [[sum(COSINES[v][y] * rows[y][u] for y in range(8)) for u in range(8)] for v in range(8)]


def number(value):
    """Size and bits of a coefficient."""
    size = abs(value).bit_length()
    return size, format(value if value >= 0 else value + (1 << size) - 1, "0%db" % size) if size else ""


def jpeg_bytes(width, height, samples):
    """A JPEG file; width and height are multiples of 8."""
    bits, last = [], 0
    for top in range(0, height, 8):
        for left in range(0, width, 8):
            block = [[samples[(top + y) * width + left + x] - 128 for x in range(8)] for y in range(8)]
            found = coefficients(block)
            values = [round(found[k // 8][k % 8]) for k in ZIGZAG]
            size, text = number(values[0] - last)
            last = values[0]
            bits.append(format(DC_SYMBOLS.index(size), "04b") + text)
            run = 0
            for k in range(1, 64):
                if not any(values[k:]):
                    bits.append(format(0, "08b"))
                    break
                if values[k] == 0:
                    run += 1
                    continue
                bits += [format(AC_SYMBOLS.index(0xF0), "08b")] * (run // 16)
                size, text = number(values[k])
                bits.append(format(AC_SYMBOLS.index((run % 16) << 4 | size), "08b") + text)
                run = 0
    text = "".join(bits)
    text += "1" * (-len(text) % 8)
    data = bytes(int(text[k:k + 8], 2) for k in range(0, len(text), 8)).replace(b"\xff", b"\xff\0")
    return (b"\xff\xd8" + segment(0xDB, bytes([0] + [1] * 64)) +
            segment(0xC0, struct.pack(">BHHB3B", 8, height, width, 1, 1, 0x11, 0)) +
            table(0, DC_SYMBOLS, 4) + table(1, AC_SYMBOLS, 8) +
            segment(0xDA, bytes([1, 1, 0, 0, 63, 0])) + data + b"\xff\xd9")
