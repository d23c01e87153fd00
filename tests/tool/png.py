# SPDX-License-Identifier: BSD-3-Clause
"""PNG pictures written and read by hand, from the specification (ISO/IEC 15948), with zlib."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, COLOUR, PALETTE, GREY_ALPHA, COLOUR_ALPHA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, COLOUR: 3, PALETTE: 1, GREY_ALPHA: 2, COLOUR_ALPHA: 4}


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data +
            struct.pack(">I", zlib.crc32(kind + data)))


def png_bytes(width, height, samples, colour=GREY, bits=8, palette=None):
    """A PNG file; `samples` are numbers, row after row, channels of a pixel side by side."""
    per_row = width * CHANNELS[colour]
    assert len(samples) == per_row * height
    rows = b""
    for v in range(height):
        row = samples[v * per_row:(v + 1) * per_row]
        if bits == 16:
            packed = struct.pack(">%dH" % per_row, *row)
        elif bits == 8:
            packed = bytes(row)
        else:
            text = "".join(format(x, "0%db" % bits) for x in row)
            text += "0" * (-len(text) % 8)
            packed = bytes(int(text[k:k + 8], 2) for k in range(0, len(text), 8))
        rows += b"\0" + packed
    content = SIGNATURE + chunk(b"IHDR", struct.pack(">2I5B", width, height, bits, colour, 0, 0, 0))
    if palette is not None:
        content += chunk(b"PLTE", bytes(x for entry in palette for x in entry))
    return content + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def paeth(a, b, c):
    """Of left, above and above left the one next to a + b - c; the first of those that are as near."""
    p, q = b - c, a - c
    to_a, to_b, to_c = abs(p), abs(q), abs(p + q)
    if to_a <= to_b and to_a <= to_c:
        return a
    return b if to_b <= to_c else c


def read_png(path):
    """(width, height, channels, bytes) of a PNG file of 8 or 16 bits, not interlaced."""
    with open(path, "rb") as file:
        content = file.read()
    assert content[:8] == SIGNATURE
    at, data, header = 8, b"", None
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        body = content[at + 8:at + 8 + length]
        assert struct.unpack(">I", content[at + 8 + length:at + 12 + length])[0] == \
            zlib.crc32(kind + body)
        if kind == b"IHDR":
            header = struct.unpack(">2I5B", body)
        if kind == b"IDAT":
            data += body
        at += 12 + length
    assert kind == b"IEND"
    width, height, bits, colour, _, _, interlaced = header
    assert bits in (8, 16) and interlaced == 0
    step = CHANNELS[colour] * bits // 8
    stride = width * step
    raw, rows, above = zlib.decompress(data), [], bytes(stride)
    for v in range(height):
        method = raw[v * (stride + 1)]
        row = bytearray(raw[v * (stride + 1) + 1:(v + 1) * (stride + 1)])
        if method == 2:
            row = bytearray((x + y) & 255 for x, y in zip(row, above))
        elif method != 0:
            guess = {1: lambda a, b, c: a, 3: lambda a, b, c: (a + b) // 2, 4: paeth}[method]
            for k in range(step):
                row[k] = (row[k] + guess(0, above[k], 0)) & 255
            for k in range(step, stride):
                row[k] = (row[k] + guess(row[k - step], above[k], above[k - step])) & 255
        above = bytes(row)
        rows.append(above)
    assert len(raw) == height * (stride + 1)
    return width, height, CHANNELS[colour], b"".join(rows)
