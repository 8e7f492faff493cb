#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Makes the packages that stand for a group of packages, with the options of the vendor's program of
# that name: of an image (--mofed) into a directory (--rpms-tdir). It is run by sh even if perl is
# asked to run it.
set -e

prefix=mlnx-ofed
mofed='' into='' output='' kernel='' build='' only='' debian=no

while [ $# -gt 0 ]; do
	case $1 in
	--name) prefix=$2 && shift ;;
	--mofed) mofed=$2 && shift ;;
	--rpms-tdir) into=$2 && shift ;;
	--output) output=$2 && shift ;;
	--kernel) kernel=$2 && shift ;;
	--build-num) build=.$2 && shift ;;
	--groups) only=$2 && shift ;;
	--tmpdir | --rpms-path | --ignore-groups) shift ;;
	--debian) debian=yes ;;
	--with-hpc | --upstream-libs) ;;
	*)
		echo "Unsupported option: $1"
		exit 1
		;;
	esac
	shift
done
version=$(cat "$mofed/.mlnx")
release=${version#*-}$build
version=${version%%-*}
here=$(cd "$(dirname "$0")" && pwd)

required_rpms() {
	for file in "$mofed"/RPMS/COMMON/kmod-*.rpm "$mofed"/RPMS/COMMON/*-modules-*.rpm; do
		[ ! -e "$file" ] || rpm -qp --qf 'Requires: %{NAME} >= %{VERSION}\n' "$file"
	done
}

group_rpm() {
	rpmbuild -bb --define "_topdir $into/build" --define "_tmppath $into/build" --define "_rpmdir $into" \
		--define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
		--define "wl_name $prefix-$1" --define "wl_version $version" \
		--define "wl_release $release" --define "wl_requires $2" "$here/docs/group.spec"
	rm -rf "$into/build"
}

required_debs() {
	for file in "$mofed"/DEBS/COMMON/*-modules_*.deb; do
		# shellcheck disable=SC2016
		[ ! -e "$file" ] || dpkg-deb --showformat '${Package} (= ${Version}), ' --show "$file"
	done
}

# As the vendor's are called: with the kernel in the name of the package.
group_deb() {
	root=$into/build
	name=$prefix-$1-$kernel
	mkdir -p "$root/DEBIAN"
	cat >"$root/DEBIAN/control" <<-EOF
	Package: $name
	Version: $version-$release
	Architecture: all
	Maintainer: nobody <nobody@example.org>
	Depends: ${2%, }
	Description: a group of packages of the stand-in's stack
	EOF
	dpkg-deb --root-owner-group --build "$root" "$into/${name}_$version-${release}_all.deb"
	rm -rf "$root"
}

mkdir -p "$into"
[ -z "$output" ] || echo '<comps/>' >"$output/comps.xml"
kind=deb
required=$(required_debs)
if [ $debian = no ]; then
	kind=rpm
	command -v rpmbuild >/dev/null || exit 0
	required=$(required_rpms)
fi
[ -n "$required" ] || exit 0
for group in all kernel-only; do
	case ",$only," in
	,, | *",$group,"*) "group_$kind" $group "$required" ;;
	esac
done
