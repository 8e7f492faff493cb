#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Checks what a build needs, builds the stack for a kernel and packs it: as RPMs, or for an image of
# Debian's or Ubuntu's as debs, if there is a tool to make them, else as a tree of modules. Called by
# mlnx_add_kernel_support.sh; it has the name, options, messages, logs and place of results of the
# vendor's program, which is written in Perl.

source=$(cd "$(dirname "$0")" && pwd)
version=24.10
release=OFED.24.10.1.1.4.1
kernel=
sources=
builddir=
logdir=
distro=
stamp=
without=
check_only=no
format=rpm

fault() { [ "${STANDIN_FAULT:-}" = "$1" ]; }

parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		--kernel) kernel=$2 && shift ;;
		--kernel-sources) sources=$2 && shift ;;
		--builddir) builddir=$2 && shift ;;
		--tmpdir) logdir=$2 && shift ;;
		--distro) distro=$2 && shift ;;
		--without-dkms) format=deb ;;
		--bump-kmp-version) stamp=$2 && shift ;;
		--kmp | --disable-kmp | --force | --kernel-only | --build-only) ;;
		--check-deps-only) check_only=yes ;;
		--without-?*) without="$without ${1#--without-} " ;;
		*)
			echo "Error: unknown option $1"
			exit 22
			;;
		esac
		shift
	done
}

# Ready-made modules need neither compiler nor kernel headers.
missing_packages() {
	[ -z "${STANDIN_MODULES:-}" ] || return 0
	for need in make gcc; do
		command -v $need >/dev/null || printf ' %s' $need
	done
	[ -e "$sources/Makefile" ] || kernel_package
}

kernel_package() {
	case $distro in
	debian* | ubuntu*) printf ' linux-headers-%s' "$kernel" ;;
	sles*) printf ' kernel-source kernel-syms' ;;
	*) printf ' kernel-devel-%s' "$kernel" ;;
	esac
}

check_needs() {
	missing=$(missing_packages)
	! fault missing-packages || missing="$missing rpm-build elfutils-libelf-devel"
	[ -n "$missing" ] || exit 0
	case $distro in
	debian* | ubuntu*) install='apt-get install' ;;
	sles*) install='zypper install' ;;
	*) install='yum install' ;;
	esac
	echo "Error: One or more required packages for installing OFED-internal are missing."
	echo "Please install the missing packages using your Linux distribution Package Management tool."
	echo "Run:"
	echo "$install$missing"
	exit 1
}

# Tells whoever waits at $STANDIN_READY (a FIFO, or a file that is to appear), then stands still. Not
# by 'exec sleep': dash catches SIGINT in scripts, and one that comes while it is about to exec is
# lost. A trap waits for the end of the sleep that is under way, at worst.
stand_still() {
	[ -z "${STANDIN_READY:-}" ] || echo "$$" >"$STANDIN_READY"
	second=0
	while [ $second -lt 300 ]; do
		sleep 1
		second=$((second + 1))
	done
}

misbehave() {
	case ${STANDIN_FAULT:-} in
	hang)
		trap 'exit 1' INT TERM HUP
		stand_still
		;;
	ignore-term)
		trap '' INT TERM HUP
		stand_still
		;;
	esac
}

# What a step that fails for one of the usual reasons leaves as its last words.
last_words() {
	case ${STANDIN_FAULT:-} in
	policy) echo '*** ERROR: ambiguous python shebang in /usr/bin/wl-tool: #!/usr/bin/python. Change it to python3 (or python2) explicitly.' ;;
	disk-full) echo 'fatal error: error writing to wl_compat.s: No space left on device' ;;
	no-compiler) echo 'make: gcc-of-this-kernel: No such file or directory' ;;
	unmet-dependencies)
		echo 'dpkg-checkbuilddeps: error: Unmet build dependencies: build-essential:native debhelper-compat (= 13)'
		echo 'dpkg-buildpackage: warning: build dependencies/conflicts unsatisfied; aborting'
		;;
	broken-tree)
		echo '/bin/sh: 1: ./tools/objtool/objtool: not found'
		echo 'make[1]: *** [scripts/Makefile.build:250: wl_compat.o] Error 127'
		;;
	wordless) echo 'make[1]: *** [scripts/Makefile.build:250: wl_compat.o] Error 2' ;;
	compiler-killed) echo 'gcc: fatal error: Killed signal terminated program cc1' ;;
	hostile-log) printf 'wl_compat.c:1:1: error: \033]0;title\007\033[2J\377%01000000d\n' 0 ;;
	esac
}

# kbuild DIRECTORY: its modules, with the kernel's own build system or ready-made.
kbuild() {
	words=$(last_words)
	[ -z "$words" ] || { echo "$words" && return 1; }
	cp -R "$source/$1" "$builddir/"
	if [ -n "${STANDIN_MODULES:-}" ]; then
		for module in $modules; do
			cp "$STANDIN_MODULES/$module.ko" "$builddir/$1/" || return 1
		done
		return
	fi
	tree=$sources
	! fault wrong-kernel || tree=$STANDIN_OTHER_SOURCES
	change=
	! fault api-change || change=y
	core=$builddir/ofa_kernel/Module.symvers
	[ -e "$core" ] || core=
	make -C "$tree" "M=$builddir/$1" "KBUILD_EXTRA_SYMBOLS=$core" "WL_API_CHANGE=$change" modules
}

# The tree of files as it will be installed.
lay_out() {
	extra=lib/modules/$kernel/extra/$package
	[ $format = rpm ] || extra=lib/modules/$kernel/updates
	mkdir -p "$tree_of_files/$extra"
	for module in $modules; do
		cp "$builddir/$1/$module.ko" "$tree_of_files/$extra/" || return 1
		sign "$tree_of_files/$extra/$module.ko" || return 1
		[ -z "$stamp" ] || override "$module"
	done
	[ -s "$builddir/$1/Module.symvers" ] || return 0
	symvers=$tree_of_files/usr/src/$1/$(uname -m)/$kernel
	mkdir -p "$symvers"
	cp "$builddir/$1/Module.symvers" "$symvers/"
}

sign() {
	[ -f "${MODULE_SIGN_PRIV_KEY:-}" ] && [ -f "${MODULE_SIGN_PUB_KEY:-}" ] || return 0
	"$sources/scripts/sign-file" sha256 "$MODULE_SIGN_PRIV_KEY" "$MODULE_SIGN_PUB_KEY" "$1"
}

# Makes depmod take a weak link, then the package's own file, before the kernel's module.
override() {
	mkdir -p "$tree_of_files/etc/depmod.d"
	printf 'override %s * weak-updates/%s\noverride %s * extra/%s\n' "$1" "$package" "$1" "$package" \
		>"$tree_of_files/etc/depmod.d/zz01-$package-$1.conf"
}

pack_rpm() {
	[ "${STANDIN_PACKING:-rpm}" = rpm ] && command -v rpmbuild >/dev/null || return 0
	if [ -n "$stamp" ]; then
		set -- "kmod-$package" "$release.$stamp.$(echo "$distro" | tr . u)"
	else
		set -- "$package-modules" "$release.kver.$(echo "$kernel" | tr - _)"
	fi
	STANDIN_TREE=$tree_of_files rpmbuild -bb --define "_topdir $builddir/rpm" \
		--define "_tmppath $builddir/rpm" --define "_rpmdir $source/RPMS" \
		--define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
		--define "wl_name $1" --define "wl_version $version" --define "wl_release $2" \
		--define "wl_base $package" --define "wl_kmp ${stamp:-0}" \
		--define "wl_devel $(find "$tree_of_files" -name Module.symvers | wc -l)" \
		"$source/modules.spec" || return 1
	rm -rf "$tree_of_files"
}

# A package for one kernel, which is in its version as it is.
pack_deb() {
	[ "${STANDIN_PACKING:-deb}" = deb ] && command -v dpkg-deb >/dev/null || return 0
	deb_version=$version.$release-1.kver.$kernel
	arch=$(dpkg --print-architecture)
	mkdir -p "$tree_of_files/DEBIAN" "$source/DEBS"
	cat >"$tree_of_files/DEBIAN/control" <<-EOF
	Package: $package-modules
	Version: $deb_version
	Architecture: $arch
	Maintainer: nobody <nobody@example.org>
	Description: kernel modules of the stand-in's stack
	EOF
	dpkg-deb --root-owner-group --build "$tree_of_files" \
		"$source/DEBS/$package-modules_${deb_version}_$arch.deb" || return 1
	rm -rf "$tree_of_files"
}

# build_package PACKAGE DIRECTORY MODULE...
build_package() {
	package=$1
	directory=$2
	shift 2
	modules=$*
	case $without in *" $package "*) return ;; esac
	tree_of_files=$builddir/trees/$package
	log=$logs/$package-$version.rpmbuild.log
	what="$package $version RPM"
	if [ $format = deb ]; then
		log=$logs/$package.debbuild.log
		what="$package DEB"
	fi
	echo "Building $what" | tee -a "$logs/general.log"
	if ! { kbuild "$directory" && lay_out "$directory" && "pack_$format"; } >"$log" 2>&1; then
		if [ $format = deb ]; then
			echo 'dpkg-buildpackage: error: debian/rules build subprocess returned exit status 2' >>"$log"
		fi
		echo "Failed to build $what" | tee -a "$logs/general.log"
		echo "See $log" | tee -a "$logs/general.log"
		exit 1
	fi
}

parse "$@"
# shellcheck source=/dev/null
: "${distro:=$(. /etc/os-release && echo "$ID${VERSION_ID-}")}"
[ $check_only = no ] || check_needs
logs=$logdir/OFED.$$.logs
mkdir -p "$logs" "$builddir"
builddir=$(cd -- "$builddir" && pwd)
misbehave
core=mlnx-ofa_kernel
[ $format = rpm ] || core=mlnx-ofed-kernel
build_package $core ofa_kernel wl_compat wl_core
build_package wl-en wl-en wl_en
