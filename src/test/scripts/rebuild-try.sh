#!/usr/bin/env bash
# Trial builds of DKMS packages by the real dkms, beside what dkms itself does:
#
#   rebuild-try.sh WEAKLINK HEADERS
#
# WEAKLINK is the program, HEADERS are headers of the kernel that is built for, below /usr/src. Needs root, dkms, make
# and gcc; all of it happens in a mount namespace of its own, in a temporary directory. Fails if an answer is not what
# dkms does, or if anything outside the trial's own directory changes.
set -euo pipefail

if [[ ${1-} != inside ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  chmod 755 "$work"
  # Mount points that are missing are made, and removed again.
  missing=()
  for directory in /var/lib/dkms /var/lib/weaklink; do
    [[ -d $directory ]] || missing+=("$directory")
    mkdir -p "$directory"
  done
  status=0
  unshare -m -- "$0" inside "$work" "$(realpath "$1")" "$2" || status=$?
  [[ ${#missing[@]} -eq 0 ]] || rmdir "${missing[@]}"
  exit $status
fi
work=$2 weaklink=$3 headers=$4
kernel=$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$headers/include/generated/utsrelease.h")

fail() {
  echo "rebuild-try: $*" >&2
  exit 1
}

# package NAME: a DKMS package whose module's source is on standard input.
package() {
  local source=$work/src/$1-1.0
  mkdir -p "$source" "/var/lib/dkms/$1/1.0"
  cat >"$source/$1.c"
  echo "obj-m := $1.o" >"$source/Makefile"
  printf '%s\n' "PACKAGE_NAME=$1" PACKAGE_VERSION=1.0 AUTOINSTALL=yes "BUILT_MODULE_NAME[0]=$1" \
    "DEST_MODULE_LOCATION[0]=/updates" >"$source/dkms.conf"
  ln -s "/usr/src/$1-1.0" "/var/lib/dkms/$1/1.0/source"
}

# Everything that belongs to DKMS and the kernel, and what the hostile package tries to make elsewhere.
state() {
  find /usr/src/*-1.0 /var/lib/dkms "/lib/modules/$kernel" -xdev -printf '%p %s %m %l\n' | sort | sha256sum
  find /usr/src/owned /etc/owned /var/tmp/owned /tmp/owned 2>/dev/null || :
}

mount -t tmpfs -o mode=755 tmp /var/lib/dkms
mount -t tmpfs -o mode=755 tmp /var/lib/weaklink
mkdir "$work/src"
package good <<'C'
#include <linux/module.h>
static int __init start(void) { pr_info("good\n"); return 0; }
module_init(start);
MODULE_LICENSE("GPL");
C
package removed <<'C'
#include <linux/module.h>
static int __init start(void) { return this_function_was_removed(1); }
module_init(start);
MODULE_LICENSE("GPL");
C
package hostile </dev/null
cat >"$work/src/hostile-1.0/Makefile" <<'M'
all:
	-touch /usr/src/owned /etc/owned /var/lib/dkms/owned /var/tmp/owned /tmp/owned
	-echo owned > /proc/sysrq-trigger
	-setsid sleep 98765 &
	dd if=/dev/zero bs=1M count=50 2>/dev/null | tr '\0' 'x'
	echo
	id -u; false
M
sed -i '$a MAKE[0]="make all"' "$work/src/hostile-1.0/dkms.conf"
mount -t overlay -o "lowerdir=$work/src:/usr/src" sources /usr/src

before=$(state)
status=0
"$weaklink" rebuild --try --kernel "$kernel" --time-limit 10 >"$work/out" 2>"$work/out.err" || status=$?
cat "$work/out"
[[ $status -eq 1 ]] || { cat "$work/out.err"; fail "exit status $status instead of 1"; }
[[ $(state) == "$before" ]] || fail "something outside the trial changed"
grep -q '^  good/1.0: builds and would load (1 module)$' "$work/out" || fail "good/1.0 builds"
grep -q 'removed.c:2: implicit declaration of function' "$work/out" || fail "the compiler's first error is not named"
grep -q '^  hostile/1.0: could not be tried$' "$work/out" || fail "hostile/1.0 fails without an error of a compiler"
! pgrep -f 'sleep 98765' >/dev/null || fail "a process of the trial is left"
[[ -z $(find /var/lib/weaklink/trials -name 'run-*') ]] || fail "the trial's directory is left"

# Killed, it leaves nothing that the next one does not remove.
printf 'all:\n\tsleep 98764\n' >"$work/src/hostile-1.0/Makefile"
"$weaklink" rebuild --try --kernel "$kernel" hostile >/dev/null 2>&1 &
for _ in $(seq 1500); do
  pgrep -u nobody -f 'sleep 98764' >/dev/null && break
  sleep 0.2
done
pgrep -u nobody -f 'sleep 98764' >/dev/null || fail "the build did not start"
pkill -KILL -f 'rebuild --try'
wait || :
"$weaklink" rebuild --try --kernel "$kernel" good >/dev/null 2>&1 || fail "no trial after one that was killed"
! pgrep -f 'sleep 98764' >/dev/null || fail "a process of the killed trial is left"
[[ -z $(find /var/lib/weaklink/trials -name 'run-*') ]] || fail "the killed trial's directory is left"

# The truth is the real build.
mkdir "$work/dkms"
for name in good removed; do
  built=yes
  dkms build -m "$name" -v 1.0 -k "$kernel" --dkmstree "$work/dkms" --sourcetree /usr/src >/dev/null 2>&1 || built=no
  said=no
  ! grep -q "^  $name/1.0: builds and would load" "$work/out" || said=yes
  [[ $built == "$said" ]] || fail "dkms built $name: $built; weaklink said: $said"
done
echo "trial builds: every answer is what dkms does"
