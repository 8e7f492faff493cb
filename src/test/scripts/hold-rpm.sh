#!/usr/bin/env bash
# Tests dnf4 or dnf5 with their automatic updates, or zypper, with 'hold = yes' and the real exports of two kernels. With
# dnf4, also tests trial builds by the real dkms for an offered kernel:
#
#   hold-rpm.sh dnf|dnf5|zypper WEAKLINK HEADERS1 HEADERS2 [ROOT]
#
# WEAKLINK is the program, HEADERS1 and HEADERS2 are headers directories of kernels. ROOT is a Debian whose dnf5 is used
# instead of this machine's. Needs root, rpmbuild, createrepo_c, make, gcc, and dnf, dnf5 or zypper; for trial builds
# dkms. The script works in its own mount namespace and a temporary directory. It prints the output of the package manager, and fails unless the
# package manager skips exactly the kernel that does not fit.
set -euo pipefail

here=$(cd "$(dirname "$0")/../../.." && pwd)
if [[ ${1-} != inside ]]; then
  work=$(mktemp -d)
  chmod 755 "$work" # trial builds run as another user
  trap 'tac "$work/made" 2> /dev/null | while read -r directory; do rmdir "$directory"; done; rm -rf "$work"' EXIT
  "$2" --version > /dev/null # builds it, where that can be done
  if [[ $1 == dnf ]]; then
    # Debian's package of dnf's plugins cannot be installed beside zypper.
    (cd "$work" && apt-get -qq download dnf-plugins-core > /dev/null && dpkg-deb -x dnf-plugins-core_*.deb core)
  fi
  unshare -m -- "$0" inside "$work" "$1" "$(realpath "$2")" "$3" "$4" "${5-}"
  exit
fi
symbol='kernel('
[[ $3 != zypper ]] || symbol='ksym(default:'
work=$2 manager=$3 weaklink=$4 old=$5 new=$6 root=$7

fail() {
  echo "hold-$manager: $*" >&2
  exit 1
}

# over DIRECTORY: mounts an empty directory over it.
over() {
  mkdir -p "$work/over$1"
  same "$work/over$1" "$1"
}

# same DIRECTORY [PLACE]: also mounts the directory at PLACE in the root, by default at the same path.
same() {
  local place=$root${2-$1}
  make_directory "$place"
  mount --rbind "$1" "$place"
}

# Records each path made outside the temporary directory, so that it is removed at the end.
make_directory() {
  [[ -d $1 ]] && return
  make_directory "${1%/*}"
  mkdir "$1"
  echo "$1" >> "$work/made"
}

# in_root PROGRAM...
in_root() {
  if [[ -n $root ]]; then
    chroot "$root" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 "JAVA_HOME=$java_home" PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
  else
    "$@"
  fi
}

# provides HEADERS AWK-CONDITION: prints the provides as kabi.sh and find-provides.ksyms do, or SUSE's script.
provides() {
  awk -F '\t' -v symbol="$symbol" "$2"' { print "Provides: " symbol $2 ") = " $1 }' "$1/Module.symvers"
}

# devel_files HEADERS RELEASE: what kernel-devel of RHEL contains, made of Debian's headers.
devel_files() {
  local tree=/usr/src/kernels/$2
  rm -rf "$work/devel"
  cp -a "$1" "$work/devel"
  sed -i "s/UTS_RELEASE .*/UTS_RELEASE \"$2\"/" "$work/devel/include/generated/utsrelease.h"
  echo "$2" > "$work/devel/include/config/kernel.release"
  for link in scripts tools; do
    ln -sfn "$(realpath "$1/$link")" "$work/devel/$link"
  done
  printf '%%install\nmkdir -p %%{buildroot}%s\ncp -a %s/. %%{buildroot}%s\n' "$tree" "$work/devel" "$tree"
  printf '%%files devel\n%s\n' "$tree"
}

# suse NUMBER HEADERS: adds a kernel with SUSE's package names to the repository.
suse() {
  {
    printf 'Name: kernel-default\nVersion: 6.1.0\nRelease: %s.1\nSummary: k\nLicense: k\nAutoReqProv: no\n' "$1"
    echo 'Provides: multiversion(kernel)'
    provides "$2" 1
    printf '%%description\nk\n%%files\n%%package devel\nSummary: k\n%%description devel\nk\n%%files devel\n'
  } > "$work/kernel.spec"
  build "$work/kernel.spec"
}

# kernel NUMBER HEADERS [devel]: adds a kernel with RHEL's package names to the repository, with the files of kernel-devel
# if named.
# shellcheck disable=SC2016 # awk expands it
kernel() {
  local release=$1.el9
  {
    printf 'Name: kernel\nVersion: 6.1.0\nRelease: %s\nSummary: k\nLicense: k\nAutoReqProv: no\n' "$release"
    echo "Requires: kernel-core-uname-r = 6.1.0-$release.x86_64"
    printf '%%description\nk\n%%files\n'
    printf '%%package core\nSummary: k\n'
    echo "Provides: kernel-uname-r = 6.1.0-$release.x86_64"
    echo "Provides: kernel-core-uname-r = 6.1.0-$release.x86_64"
    echo "Provides: installonlypkg(kernel)"
    provides "$2" '$3 == "vmlinux"'
    printf '%%description core\nk\n%%files core\n'
    printf '%%package modules\nSummary: k\nRequires: kernel-core-uname-r = 6.1.0-%s.x86_64\n' "$release"
    provides "$2" '$3 != "vmlinux"'
    printf '%%description modules\nk\n%%files modules\n'
    printf '%%package devel\nSummary: k\n%%description devel\nk\n'
    if [[ -n ${3-} ]]; then devel_files "$2" "6.1.0-$release.x86_64"; else printf '%%files devel\n'; fi
    printf '%%package tools\nSummary: k\n%%description tools\nk\n%%files tools\n'
  } > "$work/kernel.spec"
  build "$work/kernel.spec"
}

# other VERSION: adds a package that is unrelated to kernels.
other() {
  printf 'Name: other\nVersion: %s\nRelease: 1\nSummary: o\nLicense: o\nProvides: system-release(releasever) = 9\n' "$1" \
    > "$work/other.spec"
  printf '%%description\no\n%%files\n' >> "$work/other.spec"
  build "$work/other.spec"
}

# driver NUMBER HEADERS RELEASE: adds a package with a module, which requires the symbols that the module uses.
driver() {
  local source=$work/driver$1
  mkdir -p "$source"
  printf '#include <linux/module.h>\nint acme(void);\nint acme(void) { return _printk("x"); }\nMODULE_LICENSE("GPL");\n' \
    > "$source/acme.c"
  echo 'obj-m := acme.o' > "$source/Makefile"
  make -s -C "$2" "M=$source" modules > "$source/log" 2>&1 || fail "make: $(tail -n 3 "$source/log")"
  {
    printf 'Name: kmod-acme\nVersion: %s\nRelease: 1\nSummary: k\nLicense: k\nAutoReqProv: no\n' "$1"
    echo 'Provides: kmod(acme.ko)'
    modprobe --dump-modversions "$source/acme.ko" | awk -v symbol="$symbol" '{ print "Requires: " symbol $2 ") = " $1 }'
    printf '%%description\nk\n%%install\ninstall -D -m 644 %s/acme.ko %%{buildroot}/usr/lib/modules/%s/extra/acme.ko\n' "$source" "$3"
    echo '%define __strip /bin/true'
    printf '%%files\n/usr/lib/modules/%s/extra/acme.ko\n' "$3"
  } > "$work/driver.spec"
  build "$work/driver.spec"
}

build() {
  rpmbuild --quiet --target x86_64 --define "_topdir $work/build" --define "_rpmdir $work/repo" -bb "$1" > /dev/null 2>&1 \
    || fail "rpmbuild $1"
}

index() {
  createrepo_c --quiet "$work/repo"
  # marks every package as a security update
  {
    echo '<?xml version="1.0"?><updates><update from="x" type="security" status="final" version="1"><id>T-1</id>'
    echo '<title>t</title><pkglist><collection short="x"><name>x</name>'
    (cd "$work/repo" && find . -name '*.rpm' | sed 's|.*/||' | while read -r file; do
      rpm -qp --qf '<package name="%{NAME}" version="%{VERSION}" release="%{RELEASE}" epoch="0" arch="%{ARCH}">' \
        "$(find . -name "$file")"
      echo "<filename>$file</filename></package>"
    done)
    echo '</collection></pkglist></update></updates>'
  } > "$work/updateinfo.xml"
  modifyrepo_c --mdtype updateinfo "$work/updateinfo.xml" "$work/repo/repodata" > /dev/null
}

# run PROGRAM...: sets "said" to the output.
run() {
  said=$(in_root "$@" 2>&1) || fail "$*: $said"
  printf '%s\n' "--- $*" "$said" | grep -v -e '^Last metadata' -e '^$' -e 'B/s' || true
}

installed() {
  in_root rpm -qa --qf '%{NAME}-%{VERSION}-%{RELEASE}\n' | sort | tr '\n' ' '
}

for directory in /var/lib/dpkg /var/lib/weaklink /var/cache/dnf /var/cache/libdnf5 /var/cache/weaklink /etc/weaklink \
  /usr/lib/modules /usr/lib/weaklink /etc/motd.d /root/.rpmdb /var/lib/dnf /usr/lib/sysimage /var/lib/rpm /etc/zypp \
  /var/cache/zypp /var/lib/zypp /etc/dnf /etc/yum.repos.d /etc/rpm; do
  over "$directory"
done
mkdir "$work/repo"
if [[ -n $root ]]; then
  java_home=$(dirname "$(dirname "$(readlink -f "$(command -v "${JAVA_HOME:+$JAVA_HOME/bin/}java")")")")
  for directory in /proc "$here" "${weaklink%/*}" "$java_home" /etc/java* "$work/repo"; do
    [[ ! -d $directory ]] || same "$directory"
  done
fi
mkdir -p "$root/etc/zypp/repos.d"
[[ $manager != dnf5 ]] || rmdir "$root/etc/zypp/repos.d"
running=6.1.0-1.el9.x86_64
[[ $manager != zypper ]] || running=6.1.0-1-default
mkdir -p "$root/usr/lib/modules/$running/kernel" "$root/etc/dnf/libdnf5-plugins/actions.d"
touch "$root/usr/lib/modules/$running"/{vmlinuz,kernel/own.ko}
echo kernel/own.ko > "$root/usr/lib/modules/$running/modules.order"
cp "$here/src/main/dist/kernel-hook" "$root/usr/lib/weaklink/kernel-hook"
chmod +x "$root/usr/lib/weaklink/kernel-hook"
printf '[main]\nname=actions\nenabled=1\n' > "$root/etc/dnf/libdnf5-plugins/actions.conf"
cp "$here/src/main/dist/dnf/weaklink.actions" "$root/etc/dnf/libdnf5-plugins/actions.d"
printf 'hold = yes\nhooks-program = %s\n' "$weaklink" > "$root/etc/weaklink/weaklink.conf"
printf '%%_dbpath /var/lib/rpm\n%%_pkgverify_level digest\n' > "$root/etc/rpm/macros" # as on Fedora; Debian's is elsewhere
printf '[main]\ngpgcheck=0\nplugins=1\ninstallonly_limit=0\n' > "$root/etc/dnf/dnf.conf"
if [[ $manager == dnf ]]; then
  python=/usr/lib/python3/dist-packages
  mkdir "$work/plugins"
  cp "$work/core$python/dnf-plugins/download.py" "$work/plugins" # the others need their own settings
  mount -t overlay -o "lowerdir=$work/core$python:$python" python "$python"
  printf 'pluginpath=%s,%s\ncachedir=/var/cache/dnf\n' "$here/src/main/dist/dnf" "$work/plugins" >> /etc/dnf/dnf.conf
fi
printf '[test]\nname=test\nmetadata_expire=0\nbaseurl=file://%s\n' "$work/repo" > "$root/etc/yum.repos.d/test.repo"
printf '[commands]\napply_updates=yes\n[emitters]\nemit_via=stdio\n' > "$root/etc/dnf/automatic.conf"

# passes_over AUTOMATIC...: tests that dnf4 or dnf5, and its automatic updates, skip the kernel.
passes_over() {
  kernel 1 "$old"
  driver 1 "$old" 6.1.0-1.el9.x86_64
  other 1
  index
  run "$manager" -y install kernel kernel-modules kmod-acme other
  echo "installed: $(installed)"
  kernel 2 "$new"
  other 2
  index
  run "$manager" -y upgrade
  [[ $(installed) == *other-2* ]] || fail 'the other package did not come'
  [[ $(installed) != *kernel*6.1.0-2.el9* ]] || fail 'the kernel was not held'
  [[ $said == *'held back'* ]] || fail 'it is held in silence'
  other 3
  index
  run "$manager" -y upgrade --security
  [[ $(installed) == *other-3* && $(installed) != *kernel*6.1.0-2.el9* ]] || fail "upgrade --security: $(installed)"
  other 4
  index
  run "$@"
  [[ $(installed) == *other-4* && $(installed) != *kernel*6.1.0-2.el9* ]] || fail "automatic: $(installed)"
  kernel 3 "$old"
  index
  run "$manager" -y upgrade
  [[ $(installed) == *kernel-core-6.1.0-3.el9* ]] || fail 'the kernel that fits did not come'
  [[ $(installed) != *kernel*6.1.0-2.el9* ]] || fail 'the kernel was not held'
  echo "installed: $(installed)"
  kernel 4 "$new"
  driver 2 "$new" 6.1.0-4.el9.x86_64
  index
  run "$manager" -y upgrade
  [[ $(installed) == *kernel-core-6.1.0-4.el9* && $(installed) == *kmod-acme-2* ]] || fail 'the kernel with its driver did not come'
}

with_dnf() {
  passes_over /usr/bin/python3 -c 'import sys, dnf.automatic.main as it; sys.exit(it.main(sys.argv[1:]))' /etc/dnf/automatic.conf
  kernel 5 "$old"
  index
  chmod 666 /var/lib/weaklink/hold.json
  rm -f /usr/lib/weaklink/kernel-hook
  run dnf -y upgrade
  [[ $said == *'no kernel is held'* ]] || fail 'whoever can write hold.json can hold kernels'
  # a kernel that is only offered: its headers are fetched for a trial build
  kernel 9 "$new" devel
  index
  run dnf -y makecache
  mkdir "$work/tried"
  cp "$work/driver1"/{acme.c,Makefile} "$work/tried"
  run "$weaklink" rebuild --try --source "$work/tried" --kernel 6.1.0-9.el9.x86_64
  [[ $said == *'6.1.0-9.el9.x86_64  would load'* ]] || fail "no trial for a kernel that is offered: $said"
  [[ ! -e /usr/src/kernels ]] || fail 'the trial has installed headers'
  if command -v dkms > /dev/null; then
    tries_dkms 6.1.0-9.el9.x86_64
  else
    echo 'hold-dnf: there is no dkms; a failing driver of DKMS is not tried'
  fi
}

# dkms_driver NAME: adds a DKMS package whose module is installed for the first kernel.
dkms_driver() {
  local source=$work/src/$1-1.0
  mkdir -p "$source" "/var/lib/dkms/$1/1.0" "/usr/lib/modules/$running/updates/dkms"
  printf '#include <linux/module.h>\nint %s(void);\nint %s(void) { return _printk("x"); }\nMODULE_LICENSE("GPL");\n' \
    "$1" "$1" > "$source/$1.c"
  echo "obj-m := $1.o" > "$source/Makefile"
  cp -r "$source" "$work/$1"
  make -s -C "$old" "M=$work/$1" modules > "$work/$1/log" 2>&1 || fail "make: $(tail -n 3 "$work/$1/log")"
  cp "$work/$1/$1.ko" "/usr/lib/modules/$running/updates/dkms/"
  printf '%s\n' "PACKAGE_NAME=$1" PACKAGE_VERSION=1.0 AUTOINSTALL=yes "BUILT_MODULE_NAME[0]=$1" \
    'DEST_MODULE_LOCATION[0]=/updates' > "$source/dkms.conf"
  ln -s "/usr/src/$1-1.0" "/var/lib/dkms/$1/1.0/source"
}

# trials RELEASE: tests that dnf starts trial builds in the background and skips the kernel until they have ended. Sets
# "said" to the output of 'weaklink hold'.
trials() {
  index
  run dnf -y upgrade
  [[ $said == *"trial builds for "*"$1 run in the background"* ]] || fail 'no trial build was started'
  [[ $(installed) != *"kernel-core-${1%.x86_64}"* ]] || fail 'the kernel overtook the trial build'
  for _ in $(seq 600); do
    ! grep -q '"awaited":\[\]' /var/lib/weaklink/hold.json || break
    sleep 1
  done
  sed 's/^/    /' /var/lib/weaklink/trial.log
  said=$("$weaklink" hold 2>&1) || [[ $? -eq 1 ]] || fail "hold: $said"
  printf '%s\n' '--- weaklink hold' "$said"
}

# tries_dkms RELEASE: tests that an offered kernel is held while a source of DKMS does not compile for it.
tries_dkms() {
  local kept=/var/lib/weaklink/trials
  for directory in /var/lib/dkms /run/weaklink; do
    over "$directory"
  done
  run rpm -e kmod-acme
  mkdir "$work/src"
  dkms_driver good
  dkms_driver bad
  printf '#include <linux/module.h>\nint bad(void) { return this_function_was_removed(1); }\nMODULE_LICENSE("GPL");\n' \
    > "$work/src/bad-1.0/bad.c"
  mount -t overlay -o "lowerdir=$work/src:/usr/src" sources /usr/src
  cp "$here/src/main/dist/kernel-hook" /usr/lib/weaklink/kernel-hook
  rm /var/lib/weaklink/hold.json
  trials "$1"
  [[ $said == *"HOLD     $1"* ]] || fail 'a kernel is let in for which a source does not compile'
  [[ $said == *'bad/1.0 does not compile: bad.c:2: '* ]] || fail "the compiler's line is not named"
  [[ $said == *'good/1.0 builds and would load'* ]] || fail 'the other source compiles'
  index
  run dnf -y upgrade
  [[ $(installed) != *"kernel-core-${1%.x86_64}"* ]] || fail 'the kernel was not held'
  [[ $said == *': bad/1.0 does not compile: bad.c:2: '* ]] || fail "dnf does not print the compiler's line"
  [[ $said != *'in the background'* ]] || fail 'a known result was tried again'
  [[ $said == *'kernel-devel-6.1.0-2.el9.x86_64.rpm: contains no headers of a kernel (tried'* ]] \
    || fail 'a kernel-devel package without headers is not named'
  [[ $said != */run-* ]] || fail "a message names the trial's directory"
  cp "$work/bad/bad.c" "$work/src/bad-1.0/"
  trials "$1"
  [[ $said == *"REBUILD  $1"* ]] || fail 'the kernel is held although every source compiles'
  index
  run dnf -y upgrade
  [[ $(installed) == *"kernel-core-${1%.x86_64}"* ]] || fail 'the kernel did not come'
  [[ -z $(find "$kept" -name 'run-*') ]] || fail 'the directory of a trial is left'
  [[ ! -e /usr/src/kernels ]] || fail 'the trial has installed headers'
  echo "installed: $(installed)"
}

# comes NUMBER LINE: tests that a kernel that does not fit is installed if weaklink cannot judge it.
comes() {
  run dnf5 -y upgrade --refresh
  [[ $(installed) == *"kernel-core-6.1.0-$1.el9"* ]] || fail "kernel $1 did not come: $said"
  [[ $said == *"$2"* ]] || fail "not said: $2"
}

with_dnf5() {
  local kept=$root/var/lib/weaklink/hold.json config=$root/etc/weaklink/weaklink.conf
  passes_over dnf5 automatic
  sed -i 's/^metadata_expire=0/metadata_expire=1d/' "$root/etc/yum.repos.d/test.repo"
  kernel 5 "$old"
  index
  run dnf5 -y upgrade --refresh
  [[ $said == *'held back'* && $(installed) != *kernel*6.1.0-5.el9* ]] || fail 'the kernel was not held'
  touch -d tomorrow "$kept"
  chmod 666 "$kept"
  comes 5 'no kernel is held: other users can write to /var/lib/weaklink/hold.json'
  kernel 6 "$old"
  index
  truncate -s -3 "$kept"
  chmod 644 "$kept"
  touch -d tomorrow "$kept"
  comes 6 'no kernel is held: /var/lib/weaklink/hold.json is damaged'
  kernel 7 "$old"
  index
  printf '#!/bin/sh\nexit 2\n' > "$root/etc/weaklink/fails"
  chmod +x "$root/etc/weaklink/fails"
  sed -i "s|$weaklink|/etc/weaklink/fails|" "$config"
  rm "$kept"
  comes 7 'failed with status 2; kernels stay held as before'
  kernel 8 "$old"
  index
  sed -i "s|/etc/weaklink/fails|$weaklink|" "$config"
  run dnf5 -y upgrade --refresh
  [[ $said == *'held back'* && $(installed) != *kernel*6.1.0-8.el9* ]] || fail 'the kernel was not held'
  sed -i 's|^hold = yes|hold = no|' "$config"
  run "$weaklink" hold --off
  comes 8 ''
  [[ $said != *'held back'* ]] || fail 'it is held without hold = yes'
}

# upgrade: runs the command of weaklink-status.timer, then upgrades as zypper does.
upgrade() {
  run zypper -n --no-gpg-checks refresh
  run /usr/lib/weaklink/kernel-hook hold-zypper
  held=$said
  run zypper -n --no-gpg-checks update
}

with_zypper() {
  cp /etc/yum.repos.d/test.repo /etc/zypp/repos.d/
  printf '[main]\nmultiversion = provides:multiversion(kernel)\n' > /etc/zypp/zypp.conf
  suse 1 "$old"
  driver 1 "$old" "$running"
  other 1
  index
  run zypper -n --no-gpg-checks install kernel-default kernel-default-devel kmod-acme other
  suse 2 "$new"
  other 2
  index
  upgrade
  [[ $(installed) == *other-2* ]] || fail 'the other package did not come'
  [[ $(installed) != *kernel*6.1.0-2.1* ]] || fail 'the kernel was not held'
  [[ $held == *'held back'* ]] || fail 'it is held in silence'
  suse 3 "$old"
  index
  upgrade
  [[ $(installed) == *kernel-default-6.1.0-3.1* ]] || fail 'the kernel that fits did not come'
  [[ $(installed) != *kernel*6.1.0-2.1* ]] || fail 'the kernel was not held'
  echo "installed: $(installed)"
}

"with_$manager"
echo "hold-$manager: fine"
