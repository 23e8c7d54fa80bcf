#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# AVX-512 on a machine without it: the emulator Bochs boots a small Linux as a Skylake-X and runs some 800 fits there by
# Isa::avx512. Each must give the bits that Isa::portable gives here. It takes ten minutes; Debian, as root.
#   bash tests/emulated.sh [PROBLEMS]     PROBLEMS: random ones of each type, beside all shapes; 200
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/support/install.sh
problems=${1:-200}
limit=5400  # seconds
lloyd_need g++=g++ cmake=cmake ninja-build=ninja python3=python3 libeigen3-dev=/usr/include/eigen3/Eigen/Core \
  libgtest-dev=/usr/include/gtest/gtest.h libgmock-dev=/usr/include/gmock/gmock.h \
  bochs=bochs bochs-x='/usr/lib/*/bochs/plugins/libbx_x_gui.so' bochsbios=/usr/share/bochs/BIOS-bochs-latest \
  vgabios=/usr/share/vgabios/vgabios.bin isolinux=/usr/lib/ISOLINUX/isolinux.bin cpio=cpio xvfb=xvfb-run \
  syslinux-common=/usr/lib/syslinux/modules/bios/ldlinux.c32 xorriso=xorriso busybox-static=/usr/bin/busybox

cmake --preset release >/dev/null
cmake --build --preset release --target lloyd_emulated_fits
fits=$PWD/build/release/tests/lloyd_emulated_fits
work=$PWD/build/emulated
rm -rf "$work"
mkdir -p "$work"/{root/{bin,proc,dev},iso/isolinux,kernel}
"$fits" portable "$problems" >"$work/expected"

# --- a kernel, a shell, the program and its libraries -------------------------------------------------------------------
kernel=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends:/ { print $2; exit }')
(cd "$work/kernel" && apt-get download -qq -o APT::Sandbox::User=root "$kernel" && dpkg-deb -x "$kernel"_*.deb .)
cp "$work"/kernel/boot/vmlinuz-* "$work/iso/isolinux/vmlinuz"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/iso/isolinux"
cp "$(command -v busybox)" "$work/root/bin/busybox"
cp "$fits" "$work/root/fits"
ldd "$fits" | grep -o '/[^ ]*' | while read -r library; do cp -L --parents "$library" "$work/root"; done
cat >"$work/root/init" <<END
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
exec >/dev/ttyS0 2>&1
OMP_WAIT_POLICY=passive /fits avx512 $problems
/bin/busybox poweroff -f
END
chmod +x "$work/root/init"
(cd "$work/root" && find . | cpio -o -H newc --quiet >../iso/isolinux/initrd)
# The kernel and this emulator disagree about compacted states of registers.
cat >"$work/iso/isolinux/isolinux.cfg" <<'END'
default fits
label fits
 kernel vmlinuz
 append initrd=initrd console=ttyS0 quiet lpj=4000000 mitigations=off clearcpuid=xsaves,xsavec nosmp noapic tsc=reliable
END
xorriso -as mkisofs -quiet -o "$work/boot.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot \
  -boot-load-size 4 -boot-info-table "$work/iso" 2>/dev/null

# --- the machine --------------------------------------------------------------------------------------------------------
cat >"$work/machine" <<END
megs: 1024
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model=corei7_skylake_x, count=1, ips=50000000, ignore_bad_msrs=1
ata0-master: type=cdrom, path=$work/boot.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/printed
display_library: x
log: $work/log
panic: action=fatal
error: action=ignore
info: action=ignore
END
echo continue >"$work/commands"  # where it is built with a debugger
cd "$work"
timeout $((limit - SECONDS)) xvfb-run -a bochs -q -rc commands -f machine </dev/null >screen 2>&1 || true

tr -d '\r' <printed 2>/dev/null | grep -aE '^(fit |done|fits:)' >found || true
if ! cmp expected found; then
  echo "tests/emulated.sh: AVX-512 gives other results, or did not come to its end; see $work/printed" >&2
  exit 1
fi
echo "$(grep -c '^fit ' found) fits by AVX-512 give the bits of the portable kernels"
