#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# create_mlnx_ofed_installers.pl --name PRODUCT --version VERSION RPMS_DIRECTORY|DEBS_DIRECTORY KERNEL
# Makes the packages that stand for a group of packages, and yum repositories of links to them all,
# or an apt repository of them.
set -e

group_prefix=mlnx-ofed
[ "$2" != mlnx-en ] || group_prefix=mlnx-en
version=${4%%-*}
release=${4#*-}
rpms=$5
kernel=$6
here=$(cd "$(dirname "$0")" && pwd)

required() {
	for file in "$rpms"/COMMON/kmod-*.rpm "$rpms"/COMMON/*-modules-*.rpm; do
		[ ! -e "$file" ] || rpm -qp --qf 'Requires: %{NAME} >= %{VERSION}\n' "$file"
	done
}

group_package() {
	rpmbuild -bb --define "_topdir $rpms/build" --define "_tmppath $rpms/build" --define "_rpmdir $rpms/COMMON" \
		--define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
		--define "wl_name $group_prefix-$1" --define "wl_version $version" \
		--define "wl_release $release" --define "wl_requires $(required)" \
		"$here/docs/group.spec"
	rm -rf "$rpms/build"
}

repository() {
	mkdir -p "$rpms/$1"
	find "$rpms/$1" -name '*.rpm' -type l -delete
	for file in "$rpms"/COMMON/*.rpm; do
		[ ! -e "$file" ] || ln -s "../COMMON/${file##*/}" "$rpms/$1/"
	done
	"$maker" -q "$rpms/$1"
}

required_debs() {
	for file in "$rpms"/COMMON/*-modules_*.deb; do
		# shellcheck disable=SC2016
		[ ! -e "$file" ] || dpkg-deb --showformat '${Package} (= ${Version}), ' --show "$file"
	done
}

# As the vendor's are called: with the kernel in the name of the package.
group_deb() {
	root=$rpms/build
	name=$group_prefix-$1-$kernel
	mkdir -p "$root/DEBIAN"
	cat >"$root/DEBIAN/control" <<-EOF
	Package: $name
	Version: $2
	Architecture: all
	Maintainer: nobody <nobody@example.org>
	Depends: $3
	Description: a group of packages of the stand-in's stack
	EOF
	dpkg-deb --root-owner-group --build "$root" "$rpms/COMMON/${name}_$2_all.deb"
	rm -rf "$root"
}

if [ "${rpms##*/}" = DEBS ]; then
	depends=$(required_debs)
	if [ -n "$depends" ]; then
		group_deb all "$version-$release" "${depends%, }"
		group_deb kernel-only "$version-$release" "${depends%, }"
	fi
	cd "$rpms/COMMON"
	apt-ftparchive packages . >Packages
	exit
fi
maker=createrepo
command -v $maker >/dev/null || maker=createrepo_c
if command -v rpmbuild >/dev/null && [ -n "$(required)" ]; then
	group_package all
	group_package kernel-only
fi
repository MLNX_LIBS
repository UPSTREAM_LIBS
"$maker" -q "$rpms/COMMON"
