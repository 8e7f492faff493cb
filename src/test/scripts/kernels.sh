#!/usr/bin/env bash
# Downloads and unpacks real kernels from the Debian package index, without installing them.
#
#   kernels.sh get DIR RELEASE [ARCH]     prints the directory that contains lib/modules/RELEASE: an
#                                         existing one below DIR, else the new DIR/RELEASE.
#                                         Exit status 3: the kernel is not in the index, or no longer.
#   kernels.sh package DIR NAME [ARCH]    prints the file of a package, and downloads it to DIR if it
#                                         is not there; exit status 3: no such package.
#   kernels.sh newest DIR FLAVOUR [ARCH]  prints the newest release of that flavour (amd64, s390x,
#                                         armmp, ...) with a headers package; exit status 3: none.
#
# Without ARCH, the script uses the machine's package lists, so run `apt-get update` first. With ARCH, it keeps its own
# lists in DIR/.lists-ARCH. It exits with 1 if a download fails. Calls with the same DIR wait for each other.
set -euo pipefail

say() { printf '%s\n' "$*" >&2; }

usage() {
  sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
}

# Sets the array apt_options for ARCH, and fetches that architecture's lists once.
use_lists_of() {
  local dir=$1 arch=$2 lists
  apt_options=()
  [[ -n $arch ]] || return 0
  lists=$dir/.lists-$arch
  apt_options=(
    -o "APT::Architecture=$arch" -o "APT::Architectures=$arch"
    -o "Dir::State::Lists=$lists" -o Dir::State::status=/dev/null
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root
  )
  if [[ -f /etc/apt/sources.list.d/debian.sources ]]; then
    apt_options+=(-o Dir::Etc::sourcelist=/etc/apt/sources.list.d/debian.sources
      -o Dir::Etc::sourceparts=/dev/null)
  fi
  [[ -f $lists/fetched ]] && return 0
  mkdir -p "$lists/partial"
  say "package lists for $arch ..."
  # Not every suite has every architecture, so the download of a list may fail.
  apt-get "${apt_options[@]}" -qq update >&2 || true
  compgen -G "$lists/*Packages*" >/dev/null || { say "no package lists for $arch"; exit 1; }
  touch "$lists/fetched"
}

in_index() {
  local candidate
  candidate=$(apt-cache "${apt_options[@]}" policy "$1" | sed -n 's/^ *Candidate: //p')
  [[ -n $candidate && $candidate != '(none)' ]]
}

existing_tree() {
  local dir=$1 release=$2 tree
  for tree in "$dir"/*; do
    [[ $tree != *.part && -d $tree/lib/modules/$release/kernel ]] && { printf '%s\n' "$tree"; return 0; }
  done
  return 1
}

unpack_package() {
  local package=$1 tree=$2
  rm -f "$tree.debs"/*.deb
  (cd "$tree.debs" && apt-get "${apt_options[@]}" -qq download "$package" >&2)
  dpkg -x "$tree.debs"/*.deb "$tree.part"
}

get() {
  local dir=$1 release=$2 arch=$3 tree
  existing_tree "$dir" "$release" && return 0
  use_lists_of "$dir" "$arch"
  in_index "linux-image-$release" || { say "no linux-image-$release in the package index"; exit 3; }
  say "fetching linux-image-$release ..."
  tree=$dir/$release
  rm -rf "$tree.part" "$tree.debs"
  mkdir -p "$tree.part" "$tree.debs"
  unpack_package "linux-image-$release" "$tree"
  if in_index "linux-headers-$release"; then
    unpack_package "linux-headers-$release" "$tree"
  fi
  rm -rf "$tree.debs"
  mv -T "$tree.part" "$tree"
  printf '%s\n' "$tree"
}

package() {
  local dir=$1 name=$2 arch=$3 file
  file=$(compgen -G "$dir/${name}_*.deb" | head -n 1) && [[ -n $file ]] && { printf '%s\n' "$file"; return 0; }
  use_lists_of "$dir" "$arch"
  in_index "$name" || { say "no $name in the package index"; exit 3; }
  say "fetching $name ..."
  rm -rf "$dir/$name.part"
  mkdir -p "$dir/$name.part"
  (cd "$dir/$name.part" && apt-get "${apt_options[@]}" -qq download "$name" >&2)
  mv "$dir/$name.part"/*.deb "$dir"
  rmdir "$dir/$name.part"
  compgen -G "$dir/${name}_*.deb" | head -n 1
}

newest() {
  local dir=$1 flavour=$2 arch=$3 release
  use_lists_of "$dir" "$arch"
  while read -r release; do
    if in_index "linux-image-$release"; then
      printf '%s\n' "$release"
      return 0
    fi
  done < <(apt-cache "${apt_options[@]}" search --names-only \
    "^linux-headers-[0-9.]+(-[0-9]+|\+deb[0-9]+)-$flavour\$" |
    sed 's/^linux-headers-//; s/ .*//' | sort -rV)
  say "the package index has no $flavour kernel with headers"
  exit 3
}

[[ $# -ge 3 && $# -le 4 ]] || usage
mkdir -p "$2"
directory=$(cd "$2" && pwd)
exec 9>"$directory/.lock"
flock 9
case $1 in
  get | package | newest) "$1" "$directory" "$3" "${4:-}" ;;
  *) usage ;;
esac
