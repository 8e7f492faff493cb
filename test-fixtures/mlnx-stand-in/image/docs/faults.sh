# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The fault switches of mlnx_add_kernel_support.sh: STANDIN_FAULT names one.

fault() { [ "${STANDIN_FAULT:-}" = "$1" ]; }

# A misspelt fault must not pass for a run without one.
check_fault() {
	case ${STANDIN_FAULT:-} in
	'' | not-root | no-space | unsupported-distro | not-a-bundle | no-source | no-createrepo) ;;
	no-apt-utils | no-bzip2 | no-mkisofs | iso-fails | missing-packages | already-supported) ;;
	already-supported-6.1 | nothing-built | created-but-absent | truncated-result) ;;
	hostile-archive | hostile-output | hostile-log | kmp-drops-package | wrong-kernel | hang) ;;
	hang-pack | ignore-term | left-behind | escaped | policy | disk-full | no-compiler) ;;
	compiler-killed | api-change | broken-tree | unmet-dependencies | wordless | old-script | killed) ;;
	*) echo "no such fault: $STANDIN_FAULT" && exit 64 ;;
	esac
}

write_hostile_output() { printf '\033]0;title\007\033[2J\377%01000000d\n' 0; }

# What outlives the run, and holds its standard output.
leave_processes() {
	# shellcheck disable=SC2016 # for the inner shell
	live_on='echo "$$" >"${STANDIN_READY:-/dev/null}" && exec sleep 300'
	! fault left-behind || sh -c "$live_on" &
	! fault escaped || setsid sh -c "$live_on" &
}

# Half a result, and then nothing more; see stand_still in install.pl.
stop_half_way() {
	truncate -s 2000 "$1"
	[ -z "${STANDIN_READY:-}" ] || echo "$$" >"$STANDIN_READY"
	# a signal that comes before a sleep has begun waits for its end
	while :; do sleep 1; done
}

# add_escaping_member TARBALL SCRATCH: a file that would be unpacked two directories above.
add_escaping_member() {
	gunzip -c "$1" >"$2"
	tar rPf "$2" --transform='s,.*,../../standin-escaped,' "$0"
	gzip -c "$2" >"$1"
}
