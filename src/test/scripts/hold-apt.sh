#!/usr/bin/env bash
# Tests apt and unattended-upgrades with 'hold = yes' and the real exports of two kernels, and trial builds by the real
# dkms for the second kernel:
#
#   hold-apt.sh WEAKLINK HEADERS1 HEADERS2
#
# WEAKLINK is the program, HEADERS1 and HEADERS2 are headers directories of Debian kernels. Needs root, make and gcc. The
# script works in its own mount namespace and a temporary directory. It prints the output of apt, and fails unless apt
# skips exactly the kernel that does not fit.
set -euo pipefail

here=$(cd "$(dirname "$0")/../../.." && pwd)
if [[ ${1-} != inside ]]; then
  work=$(mktemp -d)
  trap 'tac "$work/made" 2> /dev/null | while read -r directory; do rmdir "$directory"; done; rm -rf "$work"' EXIT
  chmod 755 "$work"
  unshare -m -- "$0" inside "$work" "$(realpath "$1")" "$2" "$3"
  exit
fi
work=$2 weaklink=$3 old=$4 new=$5

fail() {
  echo "hold-apt: $*" >&2
  exit 1
}

# over DIRECTORY: mounts an empty directory over it.
over() {
  mkdir -p "$work/over$1"
  make_directory "$1"
  mount --bind "$work/over$1" "$1"
}

# Records each path made outside the temporary directory, so that it is removed at the end.
make_directory() {
  [[ -d $1 ]] && return
  make_directory "${1%/*}"
  mkdir "$1"
  echo "$1" >> "$work/made"
}

# package NAME VERSION [DEPENDS]: adds a package to the repository, with the files of its directory if that exists.
package() {
  local tree=$work/build/$1
  mkdir -p "$tree/DEBIAN"
  printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nMaintainer: x <x@x>\nDescription: x\n' "$1" "$2" \
    > "$tree/DEBIAN/control"
  [[ -z ${3-} ]] || echo "Depends: $3" >> "$tree/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone -b "$tree" "$work/repo" > /dev/null
}

# kernel NUMBER HEADERS: adds a kernel with Debian's package names to the repository.
kernel() {
  local release=6.1.0-$1-amd64
  local headers=$work/build/linux-headers-$release/usr/src/linux-headers-$release
  mkdir -p "$headers"
  cp "$2/Module.symvers" "$headers"
  package "linux-headers-$release" "6.1.$1-1"
  package "linux-image-$release" "6.1.$1-1"
  package linux-image-amd64 "6.1.$1-1" "linux-image-$release (= 6.1.$1-1)"
}

index() {
  (
    cd "$work/repo"
    dpkg-scanpackages -m . > Packages 2> /dev/null
    printf 'Origin: test\nSuite: test\nDate: %s\nSHA256:\n %s %s Packages\n' "$(date -Ru)" \
      "$(sha256sum < Packages | cut -d ' ' -f 1)" "$(stat -c %s Packages)" > Release
  )
}

# run WORD...: sets "said" to the output.
run() {
  said=$("$@" 2>&1) || fail "$*: $said"
  printf '%s\n' "--- $*" "$said" | grep -v -e '^Get:' -e '^Hit:' -e '^Reading' -e '^Building' -e '^(Reading' -e '^$' || true
}

# module NAME: builds a module from source on standard input, with the first kernel's headers, in a new directory.
module() {
  mkdir "$work/$1"
  cat > "$work/$1/$1.c"
  echo "obj-m := $1.o" > "$work/$1/Makefile"
  make -s -C "$old" "M=$work/$1" modules > "$work/log" 2>&1 || fail "make: $(tail -n 3 "$work/log")"
}

# Adds a DKMS package, installed for the first kernel; another function writes the source.
dkms_package() {
  local source=/usr/src/$1-1.0
  mkdir -p "$source" "/var/lib/dkms/$1/1.0" /usr/lib/modules/6.1.0-1-amd64/updates/dkms
  echo "obj-m := $1.o" > "$source/Makefile"
  printf '%s\n' "PACKAGE_NAME=$1" PACKAGE_VERSION=1.0 AUTOINSTALL=yes "BUILT_MODULE_NAME[0]=$1" \
    'DEST_MODULE_LOCATION[0]=/updates' > "$source/dkms.conf"
  ln -s "$source" "/var/lib/dkms/$1/1.0/source"
  cp "$work/$1/$1.ko" /usr/lib/modules/6.1.0-1-amd64/updates/dkms/
}

# trials [upgrade]: runs 'apt-get update', tests with "upgrade" that the kernel does not overtake the trial builds, and
# waits for the trial builds that apt-get has started in the background.
trials() {
  run apt-get update
  [[ $said == *"trial builds for "*"$release run in the background"* ]] || fail 'no trial build was started'
  if [[ ${1-} == upgrade ]]; then
    run apt-get -y full-upgrade
    [[ $(installed) != *"linux-image-$release"* ]] || fail 'the kernel overtook the trial build'
  fi
  for _ in $(seq 600); do
    ! grep -q '"awaited":\[\]' /var/lib/weaklink/hold.json || break
    sleep 1
  done
  sed 's/^/    /' /var/lib/weaklink/trial.log
  said=$("$weaklink" hold 2>&1) || [[ $? -eq 1 ]] || fail "hold: $said"
  printf '%s\n' '--- weaklink hold' "$said"
}

installed() {
  dpkg-query -W -f '${db:Status-Abbrev}${Package}=${Version}\n' | sed -n 's/^ii *//p' | tr '\n' ' '
}

for directory in /etc/apt /var/lib/apt /var/cache/apt /var/lib/dkms /var/lib/dpkg /var/lib/weaklink /var/cache/weaklink /etc/weaklink \
  /usr/lib/modules /usr/lib/weaklink /etc/motd.d /run/weaklink /var/log/apt /var/log/unattended-upgrades; do
  over "$directory"
done
mkdir -p "$work/repo" /etc/apt/{apt.conf.d,preferences.d} /var/lib/apt/lists/partial /var/cache/apt/archives/partial \
  /var/lib/dpkg/{info,updates,triggers} /usr/lib/modules/6.1.0-1-amd64/{kernel,updates}
touch /var/lib/dpkg/status /usr/lib/modules/6.1.0-1-amd64/{vmlinuz,kernel/own.ko}
echo kernel/own.ko > /usr/lib/modules/6.1.0-1-amd64/modules.order
cp "$here/src/main/dist/kernel-hook" /usr/lib/weaklink/kernel-hook
chmod +x /usr/lib/weaklink/kernel-hook
cp "$here/src/main/dist/apt/50weaklink" /etc/apt/apt.conf.d/
printf 'hold = yes\nhooks-program = %s\n' "$weaklink" > /etc/weaklink/weaklink.conf
echo "deb [trusted=yes] file:$work/repo ./" > /etc/apt/sources.list
echo 'Unattended-Upgrade::Origins-Pattern { "origin=test"; };' > /etc/apt/apt.conf.d/60upgrades
for name in acme good bad; do
  printf '#include <linux/module.h>\nint %s(void);\nint %s(void) { return _printk("x"); }\nMODULE_LICENSE("GPL");\n' \
    $name $name | module $name
done
cp "$work/acme/acme.ko" /usr/lib/modules/6.1.0-1-amd64/updates/

kernel 1 "$old"
package other 1
index
run apt-get update
run apt-get -y install linux-image-amd64 other
kernel 2 "$new"
package other 2
index
run apt-get update
[[ $said == *'held back'* ]] || fail 'it is held in silence'
run apt-get -y full-upgrade
[[ $(installed) == *other=2* ]] || fail 'the other package did not come'
[[ $(installed) != *6.1.0-2* ]] || fail 'the kernel was not held'
if [[ -x /usr/bin/unattended-upgrade ]]; then
  package other 3
  index
  run apt-get update
  run unattended-upgrade -v
  [[ $(installed) == *other=3* && $(installed) != *6.1.0-2* ]] || fail "unattended-upgrade: $(installed)"
else
  echo 'hold-apt: there is no unattended-upgrade; not tried'
fi
kernel 3 "$old"
index
run apt-get update
run apt-get -y full-upgrade
[[ $(installed) == *linux-image-6.1.0-3-amd64* ]] || fail 'the kernel that fits did not come'
[[ $(installed) != *6.1.0-2* ]] || fail 'the kernel was not held'
echo "installed: $(installed)"
run "$weaklink" hold --off
[[ ! -e /etc/apt/preferences.d/weaklink-hold.pref ]] || fail 'it is still held'
if ! command -v dkms > /dev/null; then
  echo 'hold-apt: fine; there is no dkms, so that no trial build was tried'
  exit
fi

# Tests the second kernel again, with its headers in the repository and not on the machine.
release=$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$new/include/generated/utsrelease.h")
kbuild=$(basename "$(realpath "$new/scripts/..")")
for name in "linux-headers-$release" "linux-headers-${release%-*}-common"; do
  mkdir -p "$work/build/$name/usr/src"
  cp -a "/usr/src/$name" "$work/build/$name/usr/src/"
done
mkdir -p "$work/build/$kbuild/usr/lib" "$work/build/linux-headers-$release/lib/modules/$release"
cp -a "/usr/lib/$kbuild" "$work/build/$kbuild/usr/lib/"
ln -s "/usr/src/linux-headers-$release" "$work/build/linux-headers-$release/lib/modules/$release/build"
package "linux-headers-$release" 6.1.100-1 \
  "linux-headers-${release%-*}-common (= 6.1.100-1), linux-image-$release (= 6.1.100-1), $kbuild (>= 6.1)"
package "linux-headers-${release%-*}-common" 6.1.100-1
package "$kbuild" 6.1.100-1
package "linux-image-$release" 6.1.100-1
package linux-image-amd64 6.1.100-1 "linux-image-$release (= 6.1.100-1)"
index
over /usr/src
rm /usr/lib/modules/6.1.0-1-amd64/updates/acme.ko
dkms_package good
dkms_package bad
cp "$work/good/good.c" /usr/src/good-1.0/
# bad_source VERSION: adds a package with a source of bad, whose C file is on standard input.
bad_source() {
  rm -rf "$work/build/bad-dkms"
  mkdir -p "$work/build/bad-dkms/usr/src"
  cp -r /usr/src/bad-1.0 "$work/build/bad-dkms/usr/src/bad-$1"
  sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=$1/" "$work/build/bad-dkms/usr/src/bad-$1/dkms.conf"
  cat > "$work/build/bad-dkms/usr/src/bad-$1/bad.c"
  package bad-dkms "$1"
  index
}
printf '#include <linux/module.h>\nint bad(void) { return this_function_was_removed(1); }\nMODULE_LICENSE("GPL");\n' \
  > /usr/src/bad-1.0/bad.c
bad_source 1.0 < /usr/src/bad-1.0/bad.c
sed -i 's/^hold = yes/hold = no/' /etc/weaklink/weaklink.conf
run apt-get update
run apt-get -y install bad-dkms
sed -i 's/^hold = no/hold = yes/' /etc/weaklink/weaklink.conf
trials upgrade
[[ $said == *"HOLD     $release"* ]] || fail 'a kernel is let in for which a source does not compile'
[[ $said == *'bad/1.0 does not compile: bad.c:2: '* ]] || fail "the compiler's line is not named"
[[ $said == *'good/1.0 builds and would load'* ]] || fail 'the other source compiles'
[[ $said == *'a newer source of bad that compiles'* ]] || fail 'it is not said what lets the kernel in'
run apt-get update
[[ $said == *': bad/1.0 does not compile: bad.c:2: '* ]] || fail "apt does not say the compiler's line"
[[ $said != *'in the background'* ]] || fail 'what is known was tried again'
run apt-get -y full-upgrade
[[ $(installed) != *"linux-image-$release"* ]] || fail 'the kernel was not held'
# An offered newer source is tried, too: it does not compile, and then does.
printf '#include <linux/module.h>\n\nint bad(void) { return this_one_too(1); }\nMODULE_LICENSE("GPL");\n' | bad_source 2.0
trials
[[ $said == *"HOLD     $release"* ]] || fail 'a kernel is let in for which neither source compiles'
[[ $(tr -s '\n ' ' ' <<< "$said") == *'bad/2.0 does not compile: bad.c:3: '*'from bad-dkms=2.0, which is offered'* ]] \
  || fail 'the offered source was not tried'
bad_source 3.0 < "$work/bad/bad.c"
trials
[[ $said == *'bad/3.0 builds and would load'* ]] || fail 'the offered source compiles'
[[ $said == *"REBUILD  $release"* ]] || fail 'the kernel is held although every source compiles'
run apt-get -y full-upgrade
[[ $(installed) == *"linux-image-$release"* ]] || fail 'the kernel did not come'
[[ $(installed) == *bad-dkms=3.0* ]] || fail 'the newer source did not come'
[[ -z $(find /var/lib/weaklink/trials /run/weaklink -name 'run-*' -o -name 'headers-*') ]] || fail 'something is left'
[[ $(ls /usr/src) == $'bad-3.0\ngood-1.0' ]] || fail "/usr/src: $(ls /usr/src)"
run "$weaklink" hold --off
echo 'hold-apt: fine'
