#!/usr/bin/env bash
# suite-root.sh DIR SUITE PACKAGE...: unpacks packages of a Debian suite to DIR/SUITE, with dpkg's lists of files, and
# runs none of their scripts. Prints that directory; an existing one is used unchanged. A name that ends with a dash
# stands for the newest package whose name starts with it. Exit status 3: the suite or a package is not available.
set -euo pipefail

[[ $# -gt 2 ]] || { sed -n 's/^# \{0,1\}//; 2,5p' "$0" >&2; exit 2; }
mkdir -p "$1"
suite=$2
directory=$(cd "$1" && pwd)
shift 2
root=$directory/$suite
exec 9>"$directory/.lock"
flock 9
[[ -d $root ]] && { printf '%s\n' "$root"; exit 0; }

# Prints the address of Debian's packages that this machine uses.
mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true; } |
  sed -nE 's,^(URIs:|deb( \[[^]]*\])?) +([a-z]+:[^ ]+/debian)/?( .*)?$,\3,p' | head -n 1)
[[ -n $mirror ]] || exit 3
state=$directory/.apt-$suite
mkdir -p "$state/lists/partial" "$state/debs"
printf 'deb [trusted=yes] %s %s main\n' "$mirror" "$suite" >"$state/sources.list"
: >"$state/status"
options=(-o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=/dev/null
  -o "Dir::State::Lists=$state/lists" -o "Dir::State::status=$state/status"
  -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root
  -o Acquire::Languages=none)
apt-get "${options[@]}" -qq update >&2 || exit 3

cd "$state/debs"
rm -f ./*.deb
for package; do
  [[ $package != *- ]] ||
    package=$(apt-cache "${options[@]}" pkgnames "$package" | grep -E -- '-[0-9.]+$' | sort -V | tail -n 1)
  apt-get "${options[@]}" -qq download "$package" >&2 || exit 3
done
rm -rf "$root.part"
mkdir -p "$root.part/usr/lib" "$root.part/usr/lib64" "$root.part/var/lib/dpkg/info"
ln -s usr/lib "$root.part/lib"
ln -s usr/lib64 "$root.part/lib64"
for file in ./*.deb; do
  name=$(dpkg-deb -f "$file" Package)
  dpkg-deb --fsys-tarfile "$file" | tar -x -C "$root.part" --keep-directory-symlink
  dpkg-deb --fsys-tarfile "$file" | tar -t | sed 's,^\.,,; s,/$,,' \
    >"$root.part/var/lib/dpkg/info/$name.list"
  printf 'Package: %s\nStatus: install ok installed\nVersion: %s\n\n' "$name" \
    "$(dpkg-deb -f "$file" Version)" >>"$root.part/var/lib/dpkg/status"
done
mv -T "$root.part" "$root"
printf '%s\n' "$root"
