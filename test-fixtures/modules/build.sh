#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# build.sh HEADERS_DIR OUTDIR: copies the sources to OUTDIR and builds them there
# with the kernel's own build system, against the kernel headers in HEADERS_DIR.
set -eu

if [ $# -ne 2 ]; then
	echo "usage: build.sh HEADERS_DIR OUTDIR" >&2
	exit 2
fi
headers=$1
if [ ! -f "$headers/Makefile" ]; then
	echo "build.sh: no kernel headers in $headers" >&2
	exit 2
fi
sources=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
cp "$sources"/*.c "$sources"/*.h "$sources"/Kbuild "$out"
exec make -s -C "$headers" "M=$out" modules
