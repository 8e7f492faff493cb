#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# refresh.sh HEADERS_DIR: builds ../modules against these kernel headers and renews
# the modules and the two symvers files in this directory.
set -eu

if [ $# -ne 1 ]; then
	echo "usage: refresh.sh HEADERS_DIR" >&2
	exit 2
fi
headers=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/../modules/build.sh" "$headers" "$work"
strip --strip-debug "$work"/*.ko
cp "$work"/*.ko "$here"

# the rows of the symbols that the modules import, and module_layout
{
	echo module_layout
	nm --undefined-only --no-weak "$work"/*.ko | awk '$1 == "U" { print $2 }'
} | sort -u >"$work/needed"
awk -F '\t' 'NR == FNR { needed[$1]; next } $2 in needed' \
	"$work/needed" "$headers/Module.symvers" | LC_ALL=C sort -k 2 >"$here/demo.symvers"

# the same kernel after two incompatible changes
awk -F '\t' -v OFS='\t' '
	$2 == "alloc_workqueue" { $1 = "0x0badc0de" }
	$2 == "dma_buf_get" { $5 = "DMA_BUF_CORE" }
	{ print }' "$here/demo.symvers" >"$here/demo-changed.symvers"
