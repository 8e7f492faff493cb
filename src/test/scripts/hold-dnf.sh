#!/usr/bin/env bash
# What dnf4 does under 'hold = yes', with the real exports of two kernels: hold-dnf.sh WEAKLINK HEADERS1 HEADERS2 MODULE
#
# WEAKLINK is the program, HEADERS1 and HEADERS2 are directories with a Module.symvers, the first of the
# kernel that MODULE was built for. Needs root, dnf, rpmbuild and createrepo_c; all of it happens in a mount namespace
# of its own, in a temporary directory. Prints what dnf says, and fails if it does anything else than
# passing over the kernel that does not fit.
set -euo pipefail

here=$(cd "$(dirname "$0")/../../.." && pwd)
if [[ ${1-} != inside ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  unshare -m -- "$0" inside "$work" "$(realpath "$1")" "$2" "$3" "$4"
  exit
fi
work=$2 weaklink=$3 old=$4 new=$5 module=$6

fail() {
  echo "hold-dnf: $*" >&2
  exit 1
}

# over DIRECTORY: an empty one in its place.
over() {
  mkdir -p "$1" "$work/over$1"
  mount --bind "$work/over$1" "$1"
}

# provides HEADERS AWK-CONDITION: what kabi.sh and find-provides.ksyms say of them.
provides() {
  awk -F '\t' "$2"' { print "Provides: kernel(" $2 ") = " $1 }' "$1/Module.symvers"
}

# kernel NUMBER HEADERS: a kernel of RHEL's names in the repository.
# shellcheck disable=SC2016 # what awk is to read
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
    printf '%%package devel\nSummary: k\n%%description devel\nk\n%%files devel\n'
    printf '%%package tools\nSummary: k\n%%description tools\nk\n%%files tools\n'
  } > "$work/kernel.spec"
  build "$work/kernel.spec"
}

# other VERSION: a package that has nothing to do with kernels.
other() {
  printf 'Name: other\nVersion: %s\nRelease: 1\nSummary: o\nLicense: o\n%%description\no\n%%files\n' "$1" \
    > "$work/other.spec"
  build "$work/other.spec"
}

build() {
  rpmbuild --quiet --target x86_64 --define "_topdir $work/build" --define "_rpmdir $work/repo" -bb "$1" > /dev/null 2>&1 \
    || fail "rpmbuild $1"
}

index() {
  createrepo_c --quiet "$work/repo"
  # every one of them is said to be a security update
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

# run WORD...: dnf with the plugin, on this repository alone; sets said.
run() {
  said=$(dnf -y --refresh --disablerepo='*' --repofrompath="test,file://$work/repo" --setopt=test.gpgcheck=0 \
    --setopt=cachedir=/var/cache/dnf --setopt=pluginpath="$here/src/main/dist/dnf" --setopt=plugins=1 "$@" 2>&1) ||
    fail "dnf $*: $said"
  printf '%s\n' "--- dnf $*" "$said" | grep -v -e '^Last metadata' -e '^$' -e 'B/s' || true
}

installed() {
  rpm -qa --qf '%{NAME}-%{VERSION}-%{RELEASE}\n' | sort | tr '\n' ' '
}

for directory in /var/lib/apt /var/lib/weaklink /var/cache/dnf /var/cache/weaklink /etc/weaklink /usr/lib/modules \
  /usr/lib/weaklink /etc/motd.d /root/.rpmdb /var/lib/dnf /var/lib/rpm /etc/zypp; do
  over "$directory"
done
mkdir -p "/usr/lib/modules/6.1.0-1.el9.x86_64/kernel" "/usr/lib/modules/6.1.0-1.el9.x86_64/extra" /etc/weaklink
cp "$module" /usr/lib/modules/6.1.0-1.el9.x86_64/kernel/native_own.ko
cp "$module" /usr/lib/modules/6.1.0-1.el9.x86_64/extra/
touch /usr/lib/modules/6.1.0-1.el9.x86_64/vmlinuz
cp "$here/src/main/dist/kernel-hook" /usr/lib/weaklink/kernel-hook
chmod +x /usr/lib/weaklink/kernel-hook
printf 'hold = yes\nhooks-program = %s\n' "$weaklink" > /etc/weaklink/weaklink.conf

kernel 1 "$old"
other 1
index
run install kernel other
echo "installed: $(installed)"
kernel 2 "$new"
other 2
index
run upgrade
[[ $(installed) == *other-2* ]] || fail 'the other package did not come'
[[ $(installed) != *kernel*6.1.0-2.el9* ]] || fail 'the kernel was not held'
[[ $said == *'held back'* ]] || fail 'it is held in silence'
other 3
index
run upgrade --security
[[ $(installed) == *other-3* && $(installed) != *kernel*6.1.0-2.el9* ]] || fail "upgrade --security: $(installed)"
kernel 3 "$old"
index
run upgrade
[[ $(installed) == *kernel-core-6.1.0-3.el9* ]] || fail 'the kernel that fits did not come'
[[ $(installed) != *kernel*6.1.0-2.el9* ]] || fail 'the kernel was not held'
echo "installed: $(installed)"
chmod 666 /var/lib/weaklink/hold.json
rm -f /usr/lib/weaklink/kernel-hook
run upgrade
[[ $said == *'no kernel is held'* ]] || fail 'whoever can write hold.json can hold kernels'
echo 'hold-dnf: fine'
