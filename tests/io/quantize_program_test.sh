#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs lloyd-cluster quantize as a user would: quantize_program_test.sh PROGRAM DATA_DIR PYTHON WITHOUT
# WITHOUT is the program built without libpng and libjpeg. Ends with 77 where PROGRAM has no libpng either.
. "$(dirname "$0")/program.sh"
without=$4
here=$(dirname "$0")
jpeg=$here/../data/photograph.jpg

# --- without the libraries it says what to install --------------------------------------------------------------------
"$without" quantize "$jpeg" "$work/out.png" 2>"$work/err"
check "exit code without libpng" test $? -eq 1
check "what to install" grep -q "^lloyd-cluster: .*built without libpng.*apt-get install libpng-dev" "$work/err"
says "inertia" "$wine" -k 2
"$without" "$wine" -k 2 >"$work/out"
check "the rest works without libpng" grep -q "total inertia" "$work/out"

"$program" quantize "$jpeg" "$work/out.png" 2>"$work/err" >"$work/out"
if grep -q "built without libpng" "$work/err"; then
  finish || exit 1
  echo "skipped: lloyd-cluster was built without libpng"
  exit 77
fi

# --- a picture in k colours -------------------------------------------------------------------------------------------
# pixels.py FILE [TABLE]: width, height, kind and number of colours of a PNG; its pixels as a table.
cat >"$work/pixels.py" <<'END'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
at, body, palette = 8, b"", b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    chunk = data[at + 8:at + 8 + size]
    assert zlib.crc32(kind + chunk) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
    if kind == b"IHDR":
        width, height, depth, colours = struct.unpack(">IIBB", chunk[:10])
    elif kind == b"PLTE":
        palette = chunk
    elif kind == b"IDAT":
        body += chunk
    at += 12 + size
raw, channels = zlib.decompress(body), {2: 3, 3: 1, 6: 4}[colours]
bits, row = channels * depth, (width * channels * depth + 7) // 8
step, last, pixels = max(1, bits // 8), bytearray(row), []
for i in range(height):
    method, line = raw[i * (row + 1)], bytearray(raw[i * (row + 1) + 1:(i + 1) * (row + 1)])
    for j in range(row):
        a, b = line[j - step] if j >= step else 0, last[j]
        c = last[j - step] if j >= step else 0
        p = a + b - c
        nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        line[j] = (line[j] + [0, a, b, (a + b) // 2, nearest][method]) % 256
    last = line
    for j in range(width):
        if colours == 3:
            k = line[j * depth // 8] >> (8 - depth - j * depth % 8) & ((1 << depth) - 1)
            pixels.append(tuple(palette[3 * k:3 * k + 3]))
        else:
            pixels.append(tuple(line[channels * j:channels * j + channels]))
print(width, height, {2: "rgb", 3: "palette", 6: "rgba"}[colours], len(set(pixels)))
if len(sys.argv) > 2:
    open(sys.argv[2], "w").write("".join(",".join(map(str, pixel)) + "\n" for pixel in pixels))
END
pixels() { "$python" "$work/pixels.py" "$@"; }

"$python" "$here/photograph.py" "$work/photo.png" 60 40
check "the picture itself" test "$(pixels "$work/photo.png" "$work/photo.csv" | cut -d ' ' -f 1-3)" = "60 40 rgb"
says "60 x 40 pixels of " quantize "$work/photo.png" "$work/out.png" -k 8 --centroids "$work/colours.csv"
check "eight colours" test "$(pixels "$work/out.png" "$work/out.csv")" = "60 40 palette 8"
check "eight lines of the palette" test "$(grep -c '^#[0-9a-f]\{6\} ' "$work/out")" -eq 8
check "all pixels" test "$(awk '/^#/ { n += $5 } END { print n }' "$work/out")" -eq 2400
check "eight means" test "$(wc -l <"$work/colours.csv")" -eq 9
check "smaller than the picture" test "$(wc -c <"$work/out.png")" -lt "$(wc -c <"$work/photo.png")"
# Each pixel has the palette's colour that is nearest to its own, as a mean that is not rounded yet.
tail -n +2 "$work/colours.csv" >"$work/means.csv"
says "inertia" predict "$work/means.csv" "$work/photo.csv" --labels "$work/labels.csv"
check "the nearest colours" "$python" - "$work" <<'END'
import sys
read = lambda name: [[float(x) for x in line.split(",")] for line in open(sys.argv[1] + "/" + name)]
means, labels, out = read("means.csv"), read("labels.csv"), read("out.csv")
assert all([float(round(v)) for v in means[int(label[0])]] == pixel for label, pixel in zip(labels, out))
END
says "pixels" quantize "$work/photo.png" "$work/again.png" -k 8 --threads 3
check "the same bytes for another number of threads" same "$work/out.png" "$work/again.png"
says "pixels" quantize "$work/photo.png" "$work/one.png" -k 1
check "one colour" test "$(pixels "$work/one.png")" = "60 40 palette 1"
says "pixels" quantize "$work/photo.png" "$work/many.png" -k 300
check "more colours than a palette has" test "$(pixels "$work/many.png" | cut -d ' ' -f 3)" = rgba
says '"palette": [{"colour": "#' quantize "$work/photo.png" "$work/out.png" -k 3 --json
check "the fields of the JSON" "$python" - "$work/out" <<'END'
import json, sys
result = json.loads(open(sys.argv[1]).read())
assert (result["width"], result["height"], result["k"]) == (60, 40, 3) and len(result["palette"]) == 3
assert sum(c["pixels"] for c in result["palette"]) == 2400
assert all(round(m) == int(c["colour"][1 + 2 * i:3 + 2 * i], 16)
           for c in result["palette"] for i, m in enumerate(c["mean"]))
assert {"read", "fit", "summarize", "write", "total"} == set(result["seconds"])
END

# --- distinct colours with counts are as good as pixels: the same bits from the same start ----------------------------
says "inertia" "$work/photo.csv" -k 6 --init random --max-iter 0 --centroids "$work/start.npy"
says "inertia" "$work/photo.csv" --start "$work/start.npy" --centroids "$work/by_pixels.npy"
total=$(grep -o "inertia [0-9.e+]*, .*iterations, [a-z]*" "$work/out")
says "$total" quantize "$work/photo.png" "$work/out.png" --start "$work/start.npy" --centroids "$work/by_colours.npy"
check "colours by pixels and by distinct colours" same "$work/by_pixels.npy" "$work/by_colours.npy"

# --- other pictures ---------------------------------------------------------------------------------------------------
cat >"$work/make.py" <<'END'
import struct, sys, zlib
def png(name, width, height, kind, rows, depth=8, gamma=None):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    open(sys.argv[1] + "/" + name, "wb").write(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))
        + (b"" if gamma is None else chunk(b"gAMA", struct.pack(">I", gamma)))
        + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))) + chunk(b"IEND", b""))
png("deep.png", 1, 1, 2, [[0x80, 0, 0x40, 0, 0x20, 0]], depth=16)
png("plain.png", 1, 1, 2, [[0x80, 0x40, 0x20]])
png("srgb.png", 1, 1, 2, [[0x80, 0x40, 0x20]], gamma=45455)
png("linear.png", 1, 1, 2, [[0x80, 0x40, 0x20]], gamma=100000)
png("deep_linear.png", 1, 1, 2, [[0x80, 0, 0x40, 0, 0x20, 0]], depth=16, gamma=100000)
png("gray.png", 4, 1, 0, [[0, 10, 200, 210]])
png("alpha.png", 4, 1, 6, [[0, 0, 0, 255, 10, 10, 10, 128, 200, 0, 0, 255, 99, 99, 99, 0]])
png("clear.png", 1, 1, 6, [[9, 9, 9, 0]])
png("cut.png", 4, 2, 0, [[0, 10, 200, 210]])
# A JPEG of four components up to its scan; without a marker that says otherwise they are CMYK.
segment = lambda kind, data: b"\xff" + bytes([kind]) + struct.pack(">H", len(data) + 2) + data
open(sys.argv[1] + "/cmyk.jpg", "wb").write(
    b"\xff\xd8" + segment(0xc0, struct.pack(">BHHB", 8, 8, 8, 4) + b"".join(bytes([c, 0x11, 0]) for c in range(1, 5)))
    + segment(0xda, b"\4" + b"".join(bytes([c, 0]) for c in range(1, 5)) + b"\0\x3f\0") + b"\xff\xd9")
jpeg = open(sys.argv[2], "rb").read()
for orientation in range(1, 10):
    for order in "<", ">":
        note = struct.pack(order + "HIHHHIHH", 42, 8, 1, 0x0112, 3, 1, orientation, 0)
        exif = b"Exif\0\0" + {"<": b"II", ">": b"MM"}[order] + note
        segment = b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif
        name = "/turned%d%s.jpg" % (orientation, {"<": "", ">": "b"}[order])
        open(sys.argv[1] + name, "wb").write(jpeg[:2] + segment + jpeg[2:])
END
"$python" "$work/make.py" "$work" "$jpeg"
says "#050505    5      5     5       2     50.0      150" quantize "$work/gray.png" "$work/out.png" -k 2
for picture in plain srgb deep; do says "#804020" quantize "$work/$picture.png" "$work/out.png" -k 1; done
for picture in linear deep_linear; do says "#ba8863" quantize "$work/$picture.png" "$work/out.png" -k 1; done
says "#050505" quantize "$work/alpha.png" "$work/out.png" -k 2
check "pixels keep their opacity; what cannot be seen does not count" \
  test "$(pixels "$work/out.png" "$work/out.csv") $(tr '\n' ' ' <"$work/out.csv")" = \
  "4 1 rgba 4 5,5,5,255 5,5,5,128 200,0,0,255 5,5,5,0 "
refuses "-k/--n-clusters: 4, but \".*alpha.png\" has only 3 colours" quantize "$work/alpha.png" "$work/out.png" -k 4
refuses "has only 0 colours" quantize "$work/clear.png" "$work/out.png" -k 1
refuses "cut.png: " quantize "$work/cut.png" "$work/new.png" -k 1
refuses "vain.png: no such file" quantize "$work/vain.png" "$work/out.png"
refuses "wine.csv\" does not end in .png, .jpg or .jpeg" quantize "$wine" "$work/out.png"
refuses "output: .* does not end in .png" quantize "$work/photo.png" "$work/out.jpg"
refuses "would overwrite" quantize "$work/photo.png" "$work/photo.png"
refuses "there is no directory" quantize "$work/photo.png" "$work/none/out.png"
cp "$wine" "$work/wine.png"
refuses "wine.png: " quantize "$work/wine.png" "$work/new.png"
printf 'red;green;blue\n1;2;3\n' >"$work/semicolons.csv"
refuses '(line 1 has 1 column and holds ";", expected "," between colours)' quantize "$work/photo.png" "$work/new.png" \
  --start "$work/semicolons.csv"
printf 'grey\n1\n' >"$work/grey.csv"
refuses "the centroids have 1 column, the rows have 3" quantize "$work/photo.png" "$work/new.png" --start "$work/grey.csv"
refuses "--start: .*wine.csv\": the centroids have 13 columns, the rows have 3" quantize "$work/photo.png" "$work/new.png" --start "$wine" -k 178
check "nothing was written" test ! -e "$work/new.png"

"$program" quantize "$jpeg" "$work/jpeg.png" -k 8 2>"$work/err" >"$work/out"
if grep -q "built without libjpeg" "$work/err"; then
  echo "SKIPPED: lloyd-cluster was built without libjpeg"
  finish
  exit
fi
check "eight colours of a JPEG" test "$(pixels "$work/jpeg.png" "$work/jpeg.csv")" = "96 64 palette 8"
# Cameras note how a picture is to be turned: 6 and 8 are the turns, 3 is upside down, the others are mirrored.
for turn in 1 2 3 4 5 6 6b 7 8 9; do
  says "pixels" quantize "$work/turned$turn.jpg" "$work/turned.png" -k 8
  pixels "$work/turned.png" "$work/turned.csv" >/dev/null
  check "a picture turned by note $turn" "$python" - "$work" ${turn%b} <<'END'
import sys
read = lambda name: [tuple(map(int, line.split(","))) for line in open(sys.argv[1] + "/" + name)]
flat, turned, note = read("jpeg.csv"), read("turned.csv"), int(sys.argv[2])
stored = [flat[96 * i:96 * i + 96] for i in range(64)]
flip, transpose = lambda rows: [row[::-1] for row in rows], lambda rows: [list(row) for row in zip(*rows)]
expected = {1: stored, 2: flip(stored), 3: flip(stored[::-1]), 4: stored[::-1], 5: transpose(stored),
            6: flip(transpose(stored)), 7: flip(transpose(stored)[::-1]), 8: transpose(stored)[::-1], 9: stored}[note]
assert [pixel for row in expected for pixel in row] == turned
END
done
head -c 1500 "$jpeg" >"$work/cut.jpg"
refuses "cut.jpg: .*remature end" quantize "$work/cut.jpg" "$work/new.png"
cp "$work/photo.png" "$work/photo.jpg"
refuses "photo.jpg: Not a JPEG file" quantize "$work/photo.jpg" "$work/new.png"
refuses "cmyk.jpg: its colours are CMYK (for print), expected RGB or grey: convert the picture first" \
  quantize "$work/cmyk.jpg" "$work/new.png"
check "nothing was written" test ! -e "$work/new.png"

finish
