# SPDX-License-Identifier: MIT
"""photograph.py FILE.png [WIDTH HEIGHT]: a picture like a photograph, computed, for trying `lloyd-cluster quantize`.

Evening over a lake: a sky from blue to orange with a sun and clouds, three ranges of hills, their reflection, a meadow
with flowers, and the grain of a film. The same numbers give the same bytes.
"""
import math
import struct
import sys
import zlib


def hashed(x, y):
    """A number in [0, 1) that looks like chance and depends on two integers alone."""
    h = (x * 374761393 + y * 668265263) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((h ^ (h >> 16)) & 0xFFFFFF) / 0x1000000


def smooth(x, y):
    """Chance that changes smoothly from one integer to the next."""
    i, j = math.floor(x), math.floor(y)
    u, v = x - i, y - j
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    top = hashed(i, j) * (1 - u) + hashed(i + 1, j) * u
    return top * (1 - v) + (hashed(i, j + 1) * (1 - u) + hashed(i + 1, j + 1) * u) * v


def cloudy(x, y):
    """Several scales of it."""
    return sum(smooth(x * 2**k, y * 2**k + 17 * k) / 2**k for k in range(5)) / 1.94


def mix(a, b, share):
    share = min(1.0, max(0.0, share))
    return [p + (q - p) * share for p, q in zip(a, b)]


def sky(x, y):
    colour = mix([58, 98, 160], [252, 176, 98], y / 0.55)
    away = math.hypot(x - 1.05, (y - 0.38) * 1.1)
    colour = mix(colour, [255, 226, 150], 0.9 * math.exp(-((away / 0.16) ** 2)))
    if away < 0.045:
        colour = [255, 247, 214]
    return mix(colour, [250, 214, 196], 1.4 * max(0.0, cloudy(3 * x, 9 * y) - 0.52) * (1 - y))


def hills(x, y):
    """The colour of the nearest range of hills there, or nothing."""
    for k, (base, colour) in enumerate([(0.60, [62, 84, 62]), (0.52, [74, 92, 98]), (0.44, [118, 116, 138])]):
        if y > base - 0.16 * cloudy(2.2 * x + 5 * k, 40 + k):
            return mix(colour, [20, 34, 24], 0.5 * cloudy(30 * x, 30 * y + k))
    return None


def above(x, y):
    return hills(x, y) or sky(x, y)


def colour(x, y):
    shore = 0.56
    meadow = 0.80 + 0.05 * cloudy(3 * x, 7)
    if y > meadow:
        blade = mix([46, 74, 26], [122, 148, 52], cloudy(60 * x, 14 * y))
        flower = hashed(int(110 * x), int(90 * y))
        if flower > 0.975:
            return mix(blade, [[214, 48, 64], [240, 206, 70], [222, 222, 232]][int(flower * 1e5) % 3], 0.85)
        return blade
    if y > shore:
        wave = 0.012 * math.sin(90 * (y - shore) ** 0.7) + 0.02 * (smooth(14 * x, 130 * y) - 0.5)
        return mix(above(x + wave, 2 * shore - y), [34, 52, 74], 0.30 + 0.5 * (y - shore))
    return above(x, y)


def pixels(width, height):
    for i in range(height):
        row = bytearray()
        for j in range(width):
            grain = 9 * (hashed(j + 7919, i) + hashed(j, i + 104729) - 1)
            row.extend(min(255, max(0, round(c + grain))) for c in colour(j / height, i / height))
        yield bytes(row)


def png(width, height, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


if __name__ == "__main__":
    size = [int(word) for word in sys.argv[2:4]] or [480, 320]
    with open(sys.argv[1], "wb") as file:
        file.write(png(*size, pixels(*size)))
