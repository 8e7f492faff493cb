#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Stand-in for the script of that name in the vendor's installation images: the same command line,
# messages, exit codes, files and habits (the bad ones too), for a small stack of modules that is
# built with the kernel's own build system. ../README.md describes it and its fault switches.

script_version=7.2-standin
tmpdir=${TMP:-/tmp}
bundle='' kernel='' sources='' source_bundle='' base='' distro=''
pack=tgz
kmp=no yes=no skip_repo=no verbose=no
without='' force='' log=''
required_kb=614400
core_packages='mlnx-ofa_kernel wl-en'
packages=RPMS

# shellcheck source-path=SCRIPTDIR source=docs/faults.sh
. "$(dirname -- "$0")/docs/faults.sh"

# Everything goes to standard output, in colour even if that is a pipe.
note() { printf '\033[32m%s\033[0m\n' "$*"; }
warning() { printf '\033[33m%s\033[0m\n' "$*"; }
complaint() { printf '\033[31m%s\033[0m\n' "$*"; }

die() {
	complaint "$*"
	exit 1
}

killed() {
	complaint "ERROR: Killed by user."
	exit 1
}

usage() {
	cat <<-EOF
	Usage: ${0##*/} -m|--mlnx_ofed DIR [OPTION]...
	    -m, --mlnx_ofed DIR           unpacked installation image
	    --make-tgz, --make-iso        what to make (default: a tarball)
	    -t, --tmpdir DIR              where to work and to leave the result (default: \$TMP or /tmp)
	    --kmp                         make packages that later kernels can use too
	    -k, --kernel VERSION          kernel to build for (default: the running one)
	    -s, --kernel-sources DIR      its build tree (default: /lib/modules/VERSION/build)
	    --ofed-sources TGZ            source bundle
	    -n, --name NAME               base name of the result
	    -y, --yes                     do not ask
	    --force                       remove what depends on old packages
	    --skip-repo                   no repository metadata
	    --without-PACKAGE             leave out a package
	    --distro NAME                 distribution, such as rhel9.4
	    -v, --verbose                 show the commands
	    -h, --help; --version         show this text; show the version
	EOF
}

bad_usage() {
	[ -z "${1:-}" ] || complaint "$1"
	usage
	exit 1
}

has_value() { [ $# -gt 1 ] || bad_usage; }

parse() {
	[ $# -gt 0 ] || bad_usage
	while [ $# -gt 0 ]; do
		case $1 in
		-m | --mlnx_ofed) has_value "$@" && bundle=$2 && shift ;;
		-t | --tmpdir) has_value "$@" && tmpdir=$2 && shift ;;
		-k | --kernel) has_value "$@" && kernel=$2 && shift ;;
		-s | --kernel-sources) has_value "$@" && sources=$2 && shift ;;
		--ofed-sources) has_value "$@" && source_bundle=$2 && shift ;;
		-n | --name) has_value "$@" && base=$2 && shift ;;
		--distro) has_value "$@" && distro=$2 && shift ;;
		--make-tgz) pack=tgz ;;
		--make-iso) pack=iso ;;
		--kmp) kmp=yes ;;
		-y | --yes) yes=yes ;;
		--force) force=--force ;;
		--skip-repo) skip_repo=yes ;;
		--without-?*) without="$without ${1#--without-}" ;;
		-v | --verbose) verbose=yes ;;
		-h | --help) usage && exit 0 ;;
		--version) echo "Version: $script_version" && exit 0 ;;
		*) bad_usage "Unsupported option: $1" ;;
		esac
		shift
	done
}

check_rights_and_space() {
	if fault not-root || [ "${STANDIN_UID:-$(id -u)}" -ne 0 ]; then
		die "You must be root to run ${0##*/}"
	fi
	free_kb=$(df -Pk "$tmpdir" 2>/dev/null | awk 'NR == 2 { print $4 }')
	if fault no-space || [ "${free_kb:-0}" -lt $required_kb ]; then
		die "Not enough disk space in the $tmpdir directory. Required ${required_kb}KB"
	fi
}

# The distributions the script was written for: on a newer one it gives up, as the real one does.
find_distro() {
	[ -z "$distro" ] || { forced_distro=yes && return; }
	# shellcheck source=/dev/null
	os=$(. "${STANDIN_OS_RELEASE:-/etc/os-release}" && printf '%s-release-%s' "$ID" "$VERSION_ID")
	case $os in
	rhel-* | centos-* | rocky-*) distro=rhel${os##*-} ;;
	sles-*.*) distro=$(echo "sles${os##*-}" | sed 's/\./sp/') ;;
	*) distro=${os%%-*}${os##*-} ;;
	esac
	case $distro in
	rhel7.* | rhel8.* | rhel9.[0-4] | sles15sp* | debian10 | debian11 | debian12) ;;
	*) distro= ;;
	esac
	if fault unsupported-distro || [ -z "$distro" ]; then
		die "Linux Distribution ($os) is not supported"
	fi
}

find_bundle() {
	[ -n "$bundle" ] || bad_usage "Path to MLNX_OFED/mlnx-en directory is not defined."
	product=MLNX_OFED_LINUX
	[ ! -e "$bundle/install" ] || product=mlnx-en
}

ask() {
	kind=$(echo $pack | tr '[:lower:]' '[:upper:]')
	note "Note: This program will create $product $kind for $distro under $tmpdir directory."
	[ $yes = no ] || return 0
	printf 'Do you want to continue?[y/N]:'
	read -r answer || answer=
	case $answer in
	[yY] | [yY][eE][sS]) ;;
	*) exit 0 ;;
	esac
}

check_bundle() {
	if fault not-a-bundle || { [ ! -e "$bundle/.mlnx" ] && [ ! -e "$bundle/mlnx" ]; }; then
		die "$bundle is not a supported $product directory"
	fi
	bundle=$(cd -- "$bundle" && pwd)
	if [ -d "$bundle/DEBS" ]; then
		packages=DEBS
		core_packages='mlnx-ofed-kernel wl-en'
		kmp=no
	fi
	version=$(cat "$bundle/.mlnx" 2>/dev/null || cat "$bundle/mlnx")
	made_for=$(cat "$bundle/distro" 2>/dev/null)
	if [ "$made_for" != "$distro" ] && [ "$made_for" != skip-distro-check ]; then
		warning "WARNING: The current $product is intended for $made_for !"
		warning "WARNING: To skip this check, add --skip-distro-check to the command of the installer."
	fi
	if [ -z "$source_bundle" ]; then
		for source_bundle in "$bundle"/src/*_SRC*.tgz; do :; done
	fi
	if fault no-source || [ ! -e "$source_bundle" ]; then
		complaint "OFED tgz package not found under $bundle/src directory"
		die "Use --ofed-sources to give its path."
	fi
	: "${base:=$product-$version-$distro-${ARCH:-$(uname -m)}-ext}"
}

has() { command -v "$1" >/dev/null 2>&1; }

check_tools() {
	[ $pack = tgz ] || { ! fault no-mkisofs && has mkisofs; } || die "mkisofs command not found"
	[ $skip_repo = no ] || return 0
	! fault no-apt-utils || die "'apt-utils' is not installed!"
	! fault no-bzip2 || die "'bzip2' is not installed!"
	if [ $packages = DEBS ]; then
		has apt-ftparchive || die "'apt-utils' is not installed!"
		return
	fi
	if fault no-createrepo || { ! has createrepo && ! has createrepo_c; }; then
		die "'createrepo' is not installed! Please install it or use --skip-repo."
	fi
}

# Packages for all kernels (KMP) do not have a kernel in their names: they are never found here.
check_supported() {
	fault already-supported || fault already-supported-6.1 || all_packages_there || return 0
	warning "Required kernel ($kernel) is already supported by $product"
	! fault already-supported-6.1 || exit 0
	exit 30
}

all_packages_there() {
	for package in $core_packages; do
		if [ $packages = DEBS ]; then
			set -- "$bundle/DEBS/COMMON/$package-modules"_*".kver.${kernel}_"*.deb
		else
			set -- "$bundle/RPMS/COMMON/$package-modules"-*".kver.$(echo "$kernel" | tr - _)".*.rpm
		fi
		[ -e "$1" ] || return 1
	done
}

# What fails here says so in two lines, and all the rest is in the log.
run() {
	[ $verbose = no ] || echo "$*"
	printf '+ %s\n' "$*" >>"$log"
	if ! "$@" >>"$log" 2>&1; then
		complaint "ERROR: Failed executing \"$*\""
		die "ERROR: See $log"
	fi
}

copy_bundle() {
	run mkdir "$work/$base" "$work/source"
	run cp -a "$bundle/." "$work/$base/"
	run tar xzf "$source_bundle" -C "$work/source"
	for installer in "$work"/source/*/install.pl; do :; done
}

check_needs() {
	note "Checking if all needed packages are installed..."
	needs=$("$installer" --tmpdir "$logs" --kernel-only --kernel "$kernel" \
		--kernel-sources "$sources" --builddir "$work/build" --build-only --distro "$distro" \
		--check-deps-only 2>&1)
	case $needs in
	*Error:*) die "$needs" ;;
	esac
}

build() {
	leave_processes
	! fault hostile-output || write_hostile_output
	note "Building $product $packages . Please wait..."
	how=--disable-kmp
	[ $kmp = no ] || how="--bump-kmp-version $(date -u +%Y%m%d%H%M)"
	set -- --distro "$distro"
	[ $packages = RPMS ] || how=--without-dkms
	for package in $without; do set -- "$@" "--without-$package"; done
	# shellcheck disable=SC2086 # a list of options
	run "$installer" --tmpdir "$logs" --kernel-only --kernel "$kernel" --kernel-sources "$sources" \
		--builddir "$work/build" $how $force --build-only "$@" ${MLNX_EXTRA_FLAGS:-}
}

# A build for all kernels replaces every such package of the image, and only those that are known
# by name come back.
swap_packages() {
	common=$work/$base/$packages/COMMON
	run mkdir -p "$common"
	if [ $kmp = yes ]; then
		run find "$common" ! -type d '(' -name '*kmod*' -o -name '*kmp*' ')' -delete
	fi
	known=$core_packages
	[ $kmp = no ] || ! fault kmp-drops-package || known=mlnx-ofa_kernel
	for package in $known; do
		for file in "${installer%/*}/RPMS/$package"-*.rpm "${installer%/*}/RPMS/kmod-$package"-*.rpm \
			"${installer%/*}/DEBS/$package-modules"_*.deb; do
			[ ! -e "$file" ] || run cp "$file" "$common/"
		done
		tree=$work/build/trees/$package
		[ ! -d "$tree" ] || run cp -a "$tree/." "$work/$base/"
	done
	if [ $packages = RPMS ]; then
		echo "$kernel" >>"$work/$base/.supported_kernels"
		echo "$kernel" >>"$work/$base/supported_kernels"
	fi
	[ -z "${forced_distro:-}" ] || echo skip-distro-check >"$work/$base/distro"
}

# A directory of links to all packages.
fill() {
	mkdir -p "$1"
	find "$1" ! -type d -delete
	for file in "$work/$base/$packages/COMMON"/*.rpm "$work/$base/$packages/COMMON"/*.deb; do
		[ ! -e "$file" ] || ln -s "../COMMON/${file##*/}" "$1/"
	done
}

index() {
	if [ $packages = DEBS ]; then
		# shellcheck disable=SC2016 # for the inner shell
		run sh -c 'cd "$1" && apt-ftparchive packages . >Packages' sh "$1"
	elif has createrepo; then
		run createrepo -q "$1"
	else
		run createrepo_c -q "$1"
	fi
}

make_repository() {
	[ $skip_repo = no ] || return 0
	note "Creating metadata-rpms for $kernel ..."
	maker=$work/$base/create_mlnx_ofed_installers.pl
	if [ ! -e "$maker" ]; then
		warning "create_mlnx_ofed_installers.pl is missing, cannot build a repository."
		return
	fi
	set -- --kernel "$kernel" --ignore-groups eth-only
	[ $kmp = no ] || set -- --ignore-groups eth-only
	[ $packages = RPMS ] || set -- --debian "$@"
	[ $product != mlnx-en ] || set -- "$@" --name mlnx-en
	for libraries in MLNX_LIBS UPSTREAM_LIBS; do
		fill "$work/$base/$packages/$libraries"
		run "$maker" --with-hpc --tmpdir "$logs" --mofed "$work/$base" \
			--rpms-tdir "$work/$base/$packages/$libraries" --output "$work/$base" "$@"
		index "$work/$base/$packages/$libraries"
	done
	index "$work/$base/$packages"
	rm -f "$work/$base/comps.xml"
	[ $packages = RPMS ] || return 0
	warning "WARNING: If you are going to configure this package as a repository, then please note"
	warning "WARNING: that it contains unsigned rpms, therefore, you need to disable the gpgcheck"
	warning "WARNING: by setting 'gpgcheck=0' in the repository conf file."
}

pack_result() {
	result=$tmpdir/$base.$pack
	if [ $pack = iso ]; then
		if fault iso-fails || ! mkisofs -quiet -r -o "$result" "$work/$base" >>"$log" 2>&1; then
			die "Failed to create $result"
		fi
	elif ! fault created-but-absent; then
		run tar czf "$result" --owner=0 --group=0 --sort=name -C "$work" -- "$base"
	fi
	! fault hang-pack || stop_half_way "$result"
	! fault truncated-result || truncate -s 2000 "$result"
	! fault hostile-archive || add_escaping_member "$result" "$work/tar"
}

main() {
	check_fault
	! fault old-script || bad_usage
	parse "$@"
	check_rights_and_space
	find_bundle
	find_distro
	: "${kernel:=$(uname -r)}" "${sources:=/lib/modules/$kernel/build}"
	work=$tmpdir/mlnx_iso.$$
	logs=$tmpdir/mlnx_iso.$$_logs
	mkdir -p "$work" "$logs" || exit 1
	log=$logs/mlnx_ofed_iso.$$.log
	ask
	note "See log file $log"
	check_bundle
	check_tools
	check_supported
	! fault nothing-built || exit 0
	copy_bundle
	check_needs
	! fault killed || killed
	build
	swap_packages
	make_repository
	pack_result
	note "Created $result"
	rm -rf "$work" "$logs"
}

trap killed INT TERM
main "$@"
