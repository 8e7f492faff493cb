#!/usr/bin/env bash
# Counts the modules for which the metadata of rpm repositories decides the verdict that check gives by the kernel:
#
#   hold-figures.sh WEAKLINK EVERY ROOT...
#
# WEAKLINK is the program; each ROOT has one kernel, with its headers unless only its modules are used. For each kernel,
# the script puts every EVERYth module into a separate root as an out-of-tree module. A repository offers all newer
# kernels and publishes the output of kabi.sh and find-provides.ksyms for their Module.symvers. The script prints a line
# for each pair of kernels. It fails if the metadata refuses a module that check finds compatible.
set -euo pipefail

weaklink=$(realpath "$1") every=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

release_of() {
  basename "$1"/lib/modules/*
}

symvers_of() {
  echo "$1/usr/src/linux-headers-$(release_of "$1")/Module.symvers"
}

# package NAME RELEASE: writes a package of a kernel, with the provides on standard input.
package() {
  local version=${2%%-*} rest=${2#*-}
  [[ $2 == *-* ]] && rest=${rest//-/.} || rest=1
  printf '<package type="rpm"><name>%s</name><arch>x86_64</arch><version epoch="0" ver="%s" rel="%s"/>' \
    "$1" "${version//+/.}" "$rest"
  printf '<format><rpm:provides>\n'
  cat
  printf '</rpm:provides></format></package>\n'
}

# provides SYMVERS OWNER: prints the provides of vmlinux or of modules.
provides() {
  awk -F '\t' -v owner="$2" '($3 == "vmlinux") == (owner == "vmlinux") { printf "<rpm:entry name=\"kernel(%s)\" flags=\"EQ\" epoch=\"0\" ver=\"%s\"/>\n", $2, $1 }' "$1"
}

# offer ROOT: writes the packages of its kernel.
offer() {
  local release symvers
  release=$(release_of "$1")
  symvers=$(symvers_of "$1")
  {
    printf '<rpm:entry name="kernel-uname-r" flags="EQ" epoch="0" ver="%s"%s/>\n' "${release%%-*}" \
      "$([[ $release != *-* ]] || echo " rel=\"${release#*-}\"")"
    provides "$symvers" vmlinux
  } | package kernel-core "$release"
  provides "$symvers" modules | package kernel-modules "$release"
}

# repository DIRECTORY ROOT...: writes the metadata of these kernels.
repository() {
  local repodata=$1/repodata
  mkdir -p "$repodata"
  shift
  {
    printf '<metadata>\n'
    for offered; do offer "$offered"; done
    printf '</metadata>\n'
  } > "$repodata/primary.xml"
  printf '<repomd><data type="primary"><checksum type="sha256">%s</checksum><location href="repodata/primary.xml"/></data></repomd>\n' \
    "$(sha256sum < "$repodata/primary.xml" | cut -d ' ' -f 1)" > "$repodata/repomd.xml"
}

# machine ROOT: makes a root with modules of its kernel as out-of-tree modules; sets "root".
machine() {
  local release modules
  release=$(release_of "$1")
  root=$work/root-$release
  modules=$root/lib/modules/$release
  mkdir -p "$modules/extra" "$modules/kernel"
  touch "$modules/vmlinuz"
  find "$1/lib/modules/$release/kernel" -name '*.ko*' | LC_ALL=C sort |
    awk -v every="$every" 'NR % every == 0' | xargs cp -t "$modules/extra"
}

pairs=0 wrong=0 all=0 refused=0 said=0
for from; do
  newer=()
  for to; do
    [[ $(printf '%s\n' "$(release_of "$from")" "$(release_of "$to")" | sort -V | tail -n 1) == "$(release_of "$from")" ]] ||
      [[ ! -e $(symvers_of "$to") ]] || newer+=("$to")
  done
  [[ ${#newer[@]} -gt 0 ]] || continue
  machine "$from"
  repository "$root/var/cache/dnf/test-0123456789abcdef" "${newer[@]}"
  "$weaklink" hold --root "$root" --dry-run --format json > "$work/hold.json" || [[ $? -eq 1 ]]
  for to in "${newer[@]}"; do
    release=$(release_of "$to")
    jq -e --arg kernel "$release" 'any(.kernels[]; .kernel == $kernel)' "$work/hold.json" > "$work/known"
    jq -r --arg kernel "$release" '.kernels[] | select(.kernel == $kernel) | .refused[]' "$work/hold.json" |
      sort > "$work/said"
    "$weaklink" check --root "$root" --kernel "$to/lib/modules/$release" --format ndjson \
      "$root/lib/modules/$(release_of "$from")/extra" > "$work/check.ndjson" || [[ $? -eq 1 ]]
    jq -r 'select(.schema == "weaklink.verdict/1") | .module + " " + .verdict' "$work/check.ndjson" |
      sort > "$work/verdicts"
    awk '$2 == "INCOMPATIBLE" { print $1 }' "$work/verdicts" > "$work/refused"
    here=$(wc -l < "$work/verdicts") should=$(wc -l < "$work/refused") did=$(wc -l < "$work/said")
    false=$(comm -13 "$work/refused" "$work/said" | wc -l)
    echo "$(release_of "$from") on $release: $here modules, check refuses $should, metadata $did, wrongly $false"
    [[ $here -gt 0 ]]
    pairs=$((pairs + 1)) all=$((all + here)) refused=$((refused + should)) said=$((said + did)) wrong=$((wrong + false))
  done
  rm -rf "$root"
done
echo "$pairs pairs, $all verdicts: check refuses $refused, metadata $said, wrongly $wrong"
[[ $pairs -gt 0 && $wrong -eq 0 ]]
