#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# make-image.sh [-p mlnx-en|MLNX_OFED_LINUX] [-d DISTRO] [-f rpm|deb] DIRECTORY
# Makes in DIRECTORY, which must not be there yet, an unpacked installation image; -f is the format
# of its packages (default: that of the distribution).
set -eu

usage() {
	echo "usage: make-image.sh [-p mlnx-en|MLNX_OFED_LINUX] [-d DISTRO] [-f rpm|deb] DIRECTORY" >&2
	exit 2
}

product=MLNX_OFED_LINUX
distro=debian12
format=
while getopts p:d:f: option; do
	case $option in
	p) product=$OPTARG ;;
	d) distro=$OPTARG ;;
	f) format=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || usage
if [ -z "$format" ]; then
	case $distro in
	debian* | ubuntu*) format=deb ;;
	*) format=rpm ;;
	esac
fi
case $format in
rpm) packages=RPMS ;;
deb) packages=DEBS ;;
*) usage ;;
esac

here=$(cd "$(dirname "$0")" && pwd)
version=24.10-1.1.4.0
mkdir "$1"
cp -R "$here/image/." "$1/"
case $product in
mlnx-en) mv "$1/installer" "$1/install" ;;
MLNX_OFED_LINUX) mv "$1/installer" "$1/mlnxofedinstall" ;;
*) usage ;;
esac
echo "$version" >"$1/.mlnx"
echo "$distro" >"$1/distro"
uname -m >"$1/.arch"
: >"$1/.supported_kernels"
mkdir -p "$1/$packages/COMMON" "$1/$packages/MLNX_LIBS" "$1/$packages/UPSTREAM_LIBS" "$1/src"
tar czf "$1/src/${product}_SRC-$version.tgz" --owner=0 --group=0 --sort=name \
	--transform="s,^source,${product}_SRC-$version," -C "$here" source
