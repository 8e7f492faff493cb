#!/usr/bin/env bash
# Compares trial builds of DKMS packages with real builds by dkms:
#
#   rebuild-try.sh WEAKLINK HEADERS
#
# WEAKLINK is the program, HEADERS the headers directory of the kernel to build for, below /usr/src. Needs root, dkms,
# make and gcc. The script works in its own mount namespace and a temporary directory. It fails if an answer differs
# from the result of dkms, or if a file outside the trial's directory changes.
set -euo pipefail

if [[ ${1-} != inside ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  chmod 755 "$work"
  # Makes missing mount points, and removes them at the end.
  missing=()
  for directory in /var/lib/dkms /var/lib/weaklink /run/weaklink; do
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

# package NAME: adds a DKMS package with the module's source on standard input.
package() {
  local source=$work/src/$1-1.0
  mkdir -p "$source" "/var/lib/dkms/$1/1.0"
  cat >"$source/$1.c"
  echo "obj-m := $1.o" >"$source/Makefile"
  printf '%s\n' "PACKAGE_NAME=$1" PACKAGE_VERSION=1.0 AUTOINSTALL=yes "BUILT_MODULE_NAME[0]=$1" \
    "DEST_MODULE_LOCATION[0]=/updates" >"$source/dkms.conf"
  ln -s "/usr/src/$1-1.0" "/var/lib/dkms/$1/1.0/source"
}

# Lists the files of DKMS, the image and the kernel, and the files that the hostile builds try to make elsewhere.
state() {
  find /usr/src/*-1.0 /usr/src/image /var/lib/dkms "/lib/modules/$kernel" -xdev -printf '%p %s %m %l\n' | sort | sha256sum
  find /usr/src/owned /etc/owned /var/tmp/owned /tmp/owned 2>/dev/null || :
}

trials=/var/lib/weaklink/trials
mount -t tmpfs -o mode=755 tmp /var/lib/dkms
mount -t tmpfs -o mode=755,size=1g tmp /var/lib/weaklink
mount -t tmpfs -o mode=755 tmp /run/weaklink
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
# Each of these builds ends, even if it tries to exhaust a resource.
hostile() {
  package "$1" </dev/null
  printf 'all:\n\t%s\n' "$2" >"$work/src/$1-1.0/Makefile"
  sed -i -e '/^AUTOINSTALL/d' -e '$a MAKE[0]="make all"' "$work/src/$1-1.0/dkms.conf"
}
hostile endless 'while :; do :; done'
hostile forkbomb 'f() { f | f & }; f; sleep 2; false'
hostile fulldisk 'i=0; while :; do i=$$((i + 1)); head -c 64M /dev/zero >file$$i || sleep 0.2; done'
hostile memory "perl -e 'my \$\$x = \"x\" x (10 << 30)'"
"${0%/*}/../../../test-fixtures/mlnx-stand-in/make-image.sh" "$work/src/image" >/dev/null
chmod -R a+rX "$work/src/image"
mount -t overlay -o "lowerdir=$work/src:/usr/src" sources /usr/src

before=$(state)
status=0
"$weaklink" rebuild --try --kernel "$kernel" --time-limit 10 >"$work/out" 2>"$work/out.err" || status=$?
cat "$work/out"
[[ $status -eq 1 ]] || { cat "$work/out.err"; fail "exit status $status instead of 1"; }
[[ $(state) == "$before" ]] || fail "something outside the trial changed"
grep -q '^  good/1.0: builds and would load (1 module)$' "$work/out" || fail "good/1.0 builds"
grep -q 'removed.c:2: implicit declaration of function' "$work/out" || fail "the compiler's first error is not named"
grep -q '^  hostile/1.0: gave no result$' "$work/out" || fail "hostile/1.0 fails without an error of a compiler"
for name in forkbomb fulldisk memory endless; do
  status=0
  "$weaklink" rebuild --try --kernel "$kernel" --time-limit 1 "$name" >"$work/out.$name" 2>/dev/null || status=$?
  cat "$work/out.$name"
  [[ $status -eq 3 ]] || fail "$name: exit status $status instead of 3"
  grep -q "^  $name/1.0: gave no result\$" "$work/out.$name" || fail "$name/1.0 cannot be tried"
  [[ $(state) == "$before" ]] || fail "$name changed something outside the trial"
  [[ -z $(find /var/lib/weaklink/trials -name 'run-*') ]] || fail "the directory of $name is left"
done
grep -q 'took too long' "$work/out.endless" || fail "endless/1.0 is ended at the time limit"
grep -q 'refused memory: Out of memory' "$work/out.memory" || fail "memory/1.0 is refused more memory than a build may have"
grep -q 'limit of disk space' "$work/out.fulldisk" || fail "fulldisk/1.0 is ended before the disk is full"
! pgrep -f '^make all' >/dev/null || fail "a process of a hostile trial is left"
! pgrep -f 'sleep 98765' >/dev/null || fail "a process of the trial is left"
[[ -z $(find /var/lib/weaklink/trials -name 'run-*') ]] || fail "the trial's directory is left"

# A command of the site and Mellanox's script build in the same confinement. A kernel without headers stops no other.
copy="cp -r /usr/src/removed-1.0 {results}/removed && make -C {build} M={results}/removed modules"
status=0
"$weaklink" rebuild --try --kernel "$work/none.deb" --kernel "$kernel" --backend command -- \
  sh -c "touch /usr/src/owned /etc/owned /var/lib/dkms/owned /tmp/owned; $copy" >"$work/command" 2>"$work/command.err" \
  || status=$?
cat "$work/command"
[[ $status -eq 1 ]] || { cat "$work/command.err"; fail "a command: exit status $status instead of 1"; }
grep -q '^  command: does not compile$' "$work/command" || fail "the command does not compile"
grep -q 'removed.c:2: implicit declaration of function' "$work/command" || fail "the command's first error is not named"
grep -q 'none.deb: no such file$' "$work/command.err" || fail "headers that do not exist are named"
"$weaklink" rebuild --try --kernel "$kernel" --bundle /usr/src/image >"$work/image" 2>"$work/image.err" \
  || { cat "$work/image" "$work/image.err"; fail "the image builds"; }
cat "$work/image"
grep -q '^  MLNX_OFED_LINUX: builds and would load (3 modules)$' "$work/image" || fail "the image's modules would load"
[[ $(state) == "$before" ]] || fail "a command or the image's script changed something outside the trial"
[[ -z $(find "$trials" -name 'run-*') ]] || fail "the directory of a command's trial is left"

# If a trial is killed, its build ends at once, and the next trial removes all of its leftovers.
printf 'all:\n\tsleep 98764\n' >"$work/src/hostile-1.0/Makefile"
"$weaklink" rebuild --try --kernel "$kernel" hostile >/dev/null 2>&1 &
trying=$!
for _ in $(seq 1500); do
  pgrep -f '^sleep 98764' >/dev/null && break
  sleep 0.2
done
pgrep -f '^sleep 98764' >/dev/null || fail "the build did not start"
# Kills only the shell's own child; other trials on this machine continue.
kill -KILL "$trying"
wait || :
for _ in $(seq 50); do
  pgrep -f '^sleep 98764' >/dev/null || break
  sleep 0.2
done
! pgrep -f '^sleep 98764' >/dev/null || fail "the build of the killed trial goes on"
"$weaklink" rebuild --try --kernel "$kernel" good >/dev/null 2>&1 || fail "no trial after one that was killed"
! pgrep -f '^sleep 98764' >/dev/null || fail "a process of the killed trial is left"
[[ -z $(find /var/lib/weaklink/trials -name 'run-*') ]] || fail "the killed trial's directory is left"

# Builds a driver's source directory, with and without dkms.conf, for the headers of two kernels; the source must not change.
mkdir "$work/driver"
cp "$work/src/good-1.0/good.c" "$work/src/good-1.0/Makefile" "$work/driver"
sum=$(find "$work/driver" -type f -exec sha256sum {} + | sha256sum)
mapfile -t all < <(find /usr/src -maxdepth 1 -name 'linux-headers-*-amd64' | sort | tail -n 2)
"$weaklink" rebuild --try --source "$work/driver" --kernel "${all[0]}" --kernel "${all[-1]}" >"$work/table" \
  || { cat "$work/table"; fail "the driver serves both kernels"; }
cat "$work/table"
[[ $(grep -c ' would load$' "$work/table") -eq 2 ]] || fail "the table has two kernels that are served"
[[ $(find "$work/driver" -type f -exec sha256sum {} + | sha256sum) == "$sum" ]] || fail "the driver's source changed"
cp "$work/src/removed-1.0/"{removed.c,Makefile,dkms.conf} "$work/driver"
status=0
"$weaklink" rebuild --try --source "$work/driver" --kernel "${all[-1]}" --kernel "$work/none.deb" >"$work/table" || status=$?
cat "$work/table"
[[ $status -eq 1 ]] || fail "a driver that does not compile: exit status $status instead of 1"
grep -q ' does not compile$' "$work/table" || fail "the driver does not compile"
grep -q 'none.deb  *gave no result$' "$work/table" || fail "headers that do not exist are a line of the table"
[[ -z $(find "$trials" -name 'run-*') ]] || fail "the directory of a driver is left"

# Builds for a kernel that is only offered; its headers are downloaded.
offered=
offered_tried=0
for name in $(apt-cache --names-only search '^linux-headers-6[0-9.]*-[0-9]+-amd64$' | sed 's/^linux-headers-//; s/ .*//'); do
  [[ -e /usr/src/linux-headers-$name ]] || offered=$name
done
if [[ -n $offered ]] && (cd "$work" && apt-get -qq download "linux-headers-$offered" >/dev/null 2>&1); then
  "$weaklink" rebuild --try --kernel "$offered" good >"$work/offered" || { cat "$work/offered"; fail "no trial for $offered"; }
  cat "$work/offered"
  grep -q '^  good/1.0: builds and would load' "$work/offered" || fail "good/1.0 builds for $offered"
  [[ ! -e /usr/src/linux-headers-$offered ]] || fail "the trial has installed headers"
  offered_tried=1
fi

# The collector reports the results of the current sources only. No contents of the files can break its line.
for number in 1 2 3 4; do
  file=$trials/$(printf '%064d' $number).json
  case $number in
    1) sed 's/"source":"./&0/; s/"tried":"20/"tried":"29/' "$trials"/*.json | head -n 1 >"$file" ;;
    2) head -c 100000 /dev/urandom >"$file" ;;
    3) printf '{"schema":"weaklink.trial/1","product":"good/1.0","line":"\\","x"}\n"}]},\n' >"$file" ;;
    4) grep -h '"product":"good/1.0"' "$trials"/[1-9a-f]*.json | head -n 1 \
      | sed 's/"line":""/"line":"\\u001b[31m\\"],\\\\ a"/; s/"result":"[a-z-]*"/"result":"does-not-compile"/; s/"tried":"20/"tried":"29/' >"$file" ;;
  esac
done
for shell in sh dash bash 'busybox sh'; do
  $shell -c : 2>/dev/null || continue
  $shell "${0%/*}/../../main/dist/weaklink-collect" --name=canary >"$work/node"
  [[ $(wc -l <"$work/node") -eq 1 ]] || fail "the inventory by $shell is not one line"
  grep -q '"product":"removed/1.0","kernel":"'"$kernel"'","result":"does-not-compile","line":"removed.c:2: impl' "$work/node" \
    || fail "the inventory by $shell lacks the trial of removed/1.0"
  grep -q '"line":" \[31m\\"\],\\\\ a","day":"29' "$work/node" || fail "the inventory by $shell has no escaped line"
  [[ $(grep -o '"day"' "$work/node" | wc -l) -eq $((offered_tried + 2)) ]] || fail "the inventory by $shell has trials of other sources"
done
"$weaklink" audit "$work/node" >"$work/audit" || [[ $? -eq 1 || $? -eq 3 ]] || fail "the inventory cannot be audited"
rm -f "$trials"/0000*.json

# With trial = keep, nothing is built twice: DKMS takes the kept modules, and no compiler runs. Any change builds again.
echo "trial = keep" >"$work/conf"
WEAKLINK_CONFIG=$work/conf "$weaklink" rebuild --try --kernel "$kernel" good >/dev/null || fail "no trial that is kept"
kept=$(find "$trials/builds" -name good.ko)
[[ -n $kept && $(stat -c '%U %a' "$trials/builds") == "root 700" ]] || fail "the modules of the trial are not kept"
compiler=$(realpath "$(command -v gcc)")
mkdir "$work/real"
cp "$compiler" "$work/real/gcc"
# The compiler prints the name by which it was started, such as gcc-12.
cat >"$work/watched" <<S
#!/bin/bash
case \$1 in --version | -dump*) exec -a "\${0##*/}" "$work/real/gcc" "\$@" ;; esac
echo "\$@" >>"$work/compiled"
exit 1
S
chmod 755 "$work/watched"
mount --bind "$work/watched" "$compiler"
"$weaklink" rebuild --kernel "$kernel" --package good/1.0 >"$work/taken" 2>&1 || [[ $? -eq 3 ]] \
  || { cat "$work/taken"; fail "DKMS does not take the kept modules"; }
cat "$work/taken"
[[ ! -e $work/compiled ]] || { cat "$work/compiled"; fail "a compiler ran although the modules were kept"; }
[[ -e $(echo "/var/lib/dkms/good/1.0/$kernel"/*/module/good.ko) ]] || fail "DKMS has not recorded the kept modules"
# removes the build of good/1.0, and adds its source again
start_again() {
  dkms remove -m good -v 1.0 -k "$kernel" >/dev/null 2>&1 || :
  mkdir -p /var/lib/dkms/good/1.0
  ln -sfn /usr/src/good-1.0 /var/lib/dkms/good/1.0/source
}
# The first hook of kernel packages installs the kept modules, so that 'dkms autoinstall' has nothing left to compile.
mkdir /var/lib/weaklink/upper /var/lib/weaklink/work
mount -t overlay -o "lowerdir=/lib/modules/$kernel,upperdir=/var/lib/weaklink/upper,workdir=/var/lib/weaklink/work" \
  modules "/lib/modules/$kernel"
echo "hooks-program = $weaklink" >>"$work/conf"
hook() {
  WEAKLINK_CONFIG=$work/conf "${0%/*}/../../main/dist/kernel-hook" new "$kernel" 2>&1 || fail "the hook fails"
}
start_again
"$weaklink" rebuild --install=kept --kernel "$kernel" --dry-run >"$work/dry" || { cat "$work/dry"; fail "a dry run fails"; }
grep -q '^  *dkms build -m good ' "$work/dry" || { cat "$work/dry"; fail "a dry run does not print DKMS's command"; }
[[ $(dkms status -m good -v 1.0 -k "$kernel") != *installed* ]] || fail "a dry run installs"
hook | tee "$work/hook"
[[ $(<"$work/hook") == "weaklink: $kernel: installed modules from trial builds: good/1.0" ]] || fail "the hook prints one line"
[[ $(dkms status -m good -v 1.0 -k "$kernel") == *installed* ]] || fail "the hook has not installed the kept build"
[[ -z $(hook) ]] || fail "the hook installs a kept build twice"
[[ ! -e $work/compiled ]] || fail "the hook compiles"
for change in damage source; do
  start_again
  case $change in
    damage) cp "$kept" "$work/kept.ko"; echo >>"$kept" ;;
    source) cp "$work/kept.ko" "$kept"; echo "// changed" >>"$work/src/good-1.0/good.c" ;;
  esac
  rm -f "$work/compiled"
  if [[ $change == source ]]; then
    [[ $(hook) == "weaklink: $kernel: DKMS must still build good/1.0: "* ]] || fail "the hook names a build that does not fit"
    [[ ! -e $work/compiled ]] || fail "the hook compiles a changed source"
  fi
  ! "$weaklink" rebuild --kernel "$kernel" --package good/1.0 >"$work/taken" 2>&1 || fail "a changed build is taken ($change)"
  [[ -s $work/compiled ]] || { cat "$work/taken"; fail "no compiler ran ($change)"; }
done
umount "$compiler" "/lib/modules/$kernel"

# Compares with the real build.
mkdir "$work/dkms"
for name in good removed; do
  built=yes
  dkms build -m "$name" -v 1.0 -k "$kernel" --dkmstree "$work/dkms" --sourcetree /usr/src >/dev/null 2>&1 || built=no
  said=no
  ! grep -q "^  $name/1.0: builds and would load" "$work/out" || said=yes
  [[ $built == "$said" ]] || fail "dkms built $name: $built; weaklink said: $said"
done
echo "trial builds: every answer is what dkms does"
