#!/usr/bin/env bash
# Compares the speed of weaklink with that of similar programs (depmod, dpkg -x, an empty Java program) on real Debian
# kernels. The two programs of a row run alternately, so that a slow hour of the machine affects both; the ratio is
# computed for each round. Prints the Markdown table of README.md in this directory.
#
#   src/bench/bench.sh [--kernels DIR] [--debs DIR] [--program FILE] [--runs N] [--only ROWS]
#
#   --kernels DIR  the directory of unpacked kernels; missing ones are downloaded (default target/real-kernels; needs
#                  Debian with the lists of bookworm and its security suite: run `apt-get update` first)
#   --debs DIR     the directory of kernel packages; missing ones are downloaded (default KERNELS/debs)
#   --program FILE the program to measure (default ./weaklink; an installed weaklink has its own Java)
#   --runs N       the number of rounds of each row (default 5; slow rows have a third of these, at least one)
#   --only ROWS    only these rows, with commas between them: start, plain, xz, plan, explain, packages, links, audit,
#                  scale
#
# A "first" run starts with an empty cache of facts and fills it. A run "again" uses the cache of the run before. A
# "cold" run is a first run with an empty page cache (as root only). Needs depmod (kmod) and a JDK, and GNU time for
# the peak memory.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
kernels=$top/target/real-kernels
debs=
weaklink=$top/weaklink
runs=5
only=all

say() { printf '%s\n' "$*" >&2; }
fail() { say "bench.sh: $*"; exit 2; }

while [[ $# -gt 0 ]]; do
  case $1 in
    --kernels) kernels=${2:?--kernels needs a directory}; shift 2 ;;
    --debs) debs=${2:?--debs needs a directory}; shift 2 ;;
    --program) weaklink=${2:?--program needs a file}; shift 2 ;;
    --runs) runs=${2:?--runs needs a number}; shift 2 ;;
    --only) only=${2:?--only needs rows}; shift 2 ;;
    *) sed -n '/^#   src/,/^#   .*joined/s/^# \{0,3\}//p' "$0" >&2; exit 2 ;;
  esac
done
[[ $runs =~ ^[1-9][0-9]*$ ]] || fail "--runs needs a positive number, not '$runs'"
rows='(all|start|plain|xz|plan|explain|packages|links|audit|scale)'
[[ $only =~ ^$rows(,$rows)*$ ]] || fail "--only needs ${rows//[()]/}, not '$only'"
third=$(((runs + 2) / 3))

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
depmod=$(PATH=$PATH:/usr/sbin:/sbin command -v depmod) || fail "depmod is missing: apt-get install kmod"
command -v "$java" >/dev/null || fail "java is missing: apt-get install openjdk-17-jdk-headless"
[[ -x $weaklink ]] || fail "there is no $weaklink"

scratch=$(mktemp -d)
export WEAKLINK_CACHE=$scratch/cache
trap 'rm -rf "$scratch"' EXIT

wants() { [[ $only == all || ,$only, == *,$1,* ]]; }

tree_of() {
  "$top/src/test/scripts/kernels.sh" get "$kernels" "$1" ||
    fail "no kernel $1; name another directory with --kernels"
}

deb_of() {
  "$top/src/test/scripts/kernels.sh" package "${debs:-$kernels/debs}" "$1" ||
    fail "no package $1; name another directory with --debs"
}

# Prepares each run of both programs.
nothing() { :; }
forget() { rm -rf "$WEAKLINK_CACHE"; }
cold() {
  forget
  sync
  echo 3 >/proc/sys/vm/drop_caches
}

# Prints the seconds that a command takes. Exit statuses 0, 1 and 3 are verdicts; depmod must exit with 0.
seconds() {
  local start=$EPOCHREALTIME status=0
  "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
  [[ $status =~ ^[013]$ ]] || fail "exit code $status: ${*:1:6} ... $(tail -n 1 "$scratch/err")"
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.4f\n", b - a }'
}

# Variables that every part sets: the command of weaklink, and the command to compare with, if there is one.
ours=()
peer=()

# row ROUNDS BEFORE LIMIT NAME: prints one line of the table.
row() {
  local rounds=$1 before=$2 limit=$3 name=$4 i=1 theirs=- mine peak=''
  say "  $name"
  : >"$scratch/times"
  # a first round, which does not count, warms the page cache and fills the cache of facts
  [[ $before != nothing ]] || i=0
  for ((; i <= rounds; i++)); do
    "$before"
    [[ ${#peer[@]} -eq 0 ]] || theirs=$(seconds "${peer[@]}")
    "$before"
    mine=$(seconds "${ours[@]}")
    ((i == 0)) || printf '%s %s\n' "$theirs" "$mine" >>"$scratch/times"
  done
  if [[ -x /usr/bin/time ]]; then
    "$before"
    /usr/bin/time -q -f %M -o "$scratch/peak" "${ours[@]}" >/dev/null 2>&1 || true
    peak=$(awk 'END { printf "%.0f MiB", $1 / 1024 }' "$scratch/peak")
  fi
  awk -v name="$name" -v peak="$peak" -v limit="$limit" '
    function middle(list, n,   i, j, t) {
      for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
      return list[int((n + 1) / 2)]
    }
    { mine[NR] = $2; theirs[NR] = $1; if ($1 != "-") ratio[NR] = $2 / $1 }
    END {
      m = middle(mine, NR)
      if (theirs[1] == "-") printf "| %s | | %.3f s | | %s | %s |\n", name, m, peak, limit
      else {
        r = middle(ratio, NR)
        printf "| %s | %.3f s | %.3f s | %.2f (%.2f–%.2f) | %s | %s |\n", name, middle(theirs, NR), m, r,
          ratio[1], ratio[NR], peak, limit
      }
    }' "$scratch/times" >>"$scratch/table"
}

# first_and_again ROUNDS FIRST-LIMIT AGAIN-LIMIT NAME: prints a line with an empty cache and a line with a full one.
first_and_again() {
  row "$1" forget "$2" "$4, first"
  row "$1" nothing "$3" "$4, again"
}

# Fails unless weaklink prints one verdict for each of COUNT modules, a line for each target and a summary, because a
# fast wrong answer does not count.
expect_verdicts() {
  local count=$1 targets=$2 status=0 lines
  forget
  "${ours[@]}" >"$scratch/verdicts" || status=$?
  lines=$(wc -l <"$scratch/verdicts")
  [[ $status =~ ^[013]$ && $lines -eq $((count * targets + targets + 1)) ]] ||
    fail "exit code $status and $lines lines on $count modules: ${ours[*]:0:8} ..."
}

count_modules() { find "$1" -name '*.ko*' | wc -l; }

# Sets both commands to check the modules of one tree on another kernel.
commands_for() {
  local tree=$1 release=$2 target=$3 target_release=$4
  ours=("$weaklink" check --format ndjson --root "$target" --kernel "$target_release"
    "$tree/lib/modules/$release")
  peer=("$depmod" -n -e -b "$tree"
    -E "$target/usr/src/linux-headers-$target_release/Module.symvers" "$release")
}

start_rows() {
  local small root53 root54
  "${java}c" -d "$scratch" "$top/src/bench/Empty.java" || fail "javac is missing: apt-get install openjdk-17-jdk-headless"
  peer=("$java" -Xshare:auto -XX:+UseSerialGC -cp "$scratch" Empty)
  ours=("$weaklink" --version)
  row "$runs" nothing "0.15 s" "\`--version\` (an empty Java program)"
  root53=$(tree_of 6.1.0-53-amd64)
  root54=$(tree_of 6.1.0-54-amd64)
  mapfile -t small < <(find "$root53/lib/modules/6.1.0-53-amd64/kernel/drivers/net/ethernet" \
    -name '*.ko' | LC_ALL=C sort | sed -n 1,30p)
  ours=("$weaklink" check --format ndjson --root "$root54" --kernel 6.1.0-54-amd64 "${small[@]}")
  expect_verdicts 30 1
  row "$runs" nothing "0.3 s" "\`check\` of 30 modules (an empty Java program)"
}

plain_rows() {
  local root53 root54
  root53=$(tree_of 6.1.0-53-amd64)
  root54=$(tree_of 6.1.0-54-amd64)
  commands_for "$root53" 6.1.0-53-amd64 "$root54" 6.1.0-54-amd64
  expect_verdicts "$(count_modules "$root53/lib/modules/6.1.0-53-amd64/kernel")" 1
  first_and_again "$runs" "" "" "\`check\` of 4,023 modules, and what they break (depmod)"
  # depmod reads only the modules of one tree
  ours+=(--alone)
  first_and_again "$runs" 1.0 0.6 "\`check --alone\` of 4,023 modules (depmod)"
  if [[ -w /proc/sys/vm/drop_caches ]]; then
    row "$third" cold 1.0 "\`check --alone\` of 4,023 modules (depmod), cold"
  else
    say "  not root: nothing cold is measured"
  fi
}

xz_rows() {
  local root117 release=6.12.117+deb12-amd64 count
  root117=$(tree_of "$release")
  count=$(count_modules "$root117/lib/modules/$release/kernel")
  commands_for "$root117" "$release" "$root117" "$release"
  ours=("$weaklink" check --format ndjson
    --kernel "$root117/usr/src/linux-headers-$release/Module.symvers" "$root117/lib/modules/$release")
  expect_verdicts "$count" 1
  first_and_again "$third" 0.6 "" "\`check\` of $count .ko.xz on their symvers (depmod)"
  ours=("$weaklink" check --format ndjson --root "$root117" --kernel "$release"
    "$root117/lib/modules/$release/kernel")
  expect_verdicts "$count" 1
  first_and_again "$third" "5 s" "" "\`check\` of $count .ko.xz on their kernel, signatures verified (depmod)"
}

# Makes an image like those of Red Hat: two kernels, and COUNT modules in the extra directory of the older one.
image_of() {
  local from=$1 to=$2 count=$3 image=$scratch/$1-$2-$3 tree release
  for release in "$from" "$to"; do
    tree=$(tree_of "$release")
    mkdir -p "$image/lib/modules"
    cp -al "$tree/lib/modules/$release" "$image/lib/modules/"
    rm -f "$image/lib/modules/$release"/{build,source}
    gzip -c "$tree/usr/src/linux-headers-$release/Module.symvers" \
      >"$image/lib/modules/$release/symvers.gz"
  done
  mkdir "$image/lib/modules/$from/extra"
  # a sample at equal distances, so that it has drivers of every kind
  find "$image/lib/modules/$from/kernel" -name '*.ko*' | LC_ALL=C sort |
    awk -v n="$count" '{ f[NR] = $0 } END { for (i = 0; i < n; i++) print f[int(i * NR / n) + 1] }' |
    xargs -I{} ln {} "$image/lib/modules/$from/extra/"
  mkdir -p "$image/etc/depmod.d"
  echo 'search updates extra built-in weak-updates' >"$image/etc/depmod.d/dist.conf"
  for release in "$from" "$to"; do
    "$depmod" -b "$image" "$release"
  done
  printf '%s\n' "$image"
}

plan_rows() {
  local image from=6.12.115+deb12-amd64 to=6.12.117+deb12-amd64
  image=$(image_of "$from" "$to" 30)
  ours=("$weaklink" plan --kernel "$to" --root "$image")
  peer=("$depmod" -n -b "$image" "$to")
  first_and_again "$third" "1.5 s" "" "\`plan\` for 30 modules, two .ko.xz kernels (depmod)"
}

# Measures the causes of changed CRCs: the time that they add to a check, and a diff of two images.
explain_rows() {
  local root=$scratch/explain release tree images=()
  mkdir "$root"
  for release in 6.1.0-53-amd64 6.1.0-54-amd64; do
    tree=$(tree_of "$release")
    cp -al "$tree"/{boot,lib,usr} "$root/"
    images+=("$root/boot/vmlinuz-$release")
  done
  peer=("$weaklink" check --root "$root" --kernel 6.1.0-54-amd64
    "$root/lib/modules/6.1.0-53-amd64/kernel")
  ours=("${peer[@]}" --explain)
  first_and_again "$runs" "1 s more" "1 s more" "\`check --explain\` of 4,023 modules (the same without)"
  ours=("$weaklink" diff "${images[@]}")
  peer=()
  row "$runs" forget "1.5 s" "\`diff\` of two kernel images, first"
}

# Measures the call of a kernel package's scriptlet; the last column has the figures of weak-modules.
links_rows() {
  local pair from to count old image
  for pair in "53 54 30 14.3" "53 54 300 213.6" "55 56 300 137.5"; do
    read -r from to count old <<<"$pair"
    image=$(image_of "6.1.0-$from-amd64" "6.1.0-$to-amd64" "$count")
    ours=("$weaklink" weak-modules --add-kernel "6.1.0-$to-amd64" --dry-run --no-initramfs
      --basedir "$image")
    row "$third" nothing "(weak-modules: $old s)" "\`weak-modules --add-kernel\`: $count modules of $from on $to"
    ours=("$weaklink" plan --kernel "6.1.0-$to-amd64" --root "$image")
    row "$third" forget "(weak-modules: $old s)" "\`plan\`: $count modules of $from on $to, first"
  done
}

# Does without weaklink: unpacks the packages, and runs depmod on the result.
unpack_and_depmod() {
  local from=$1 out=$scratch/unpacked to
  shift
  mkdir -p "$out/from"
  dpkg -x "$from" "$out/from"
  for to in 54 55 56; do
    mkdir -p "$out/$to"
    dpkg -x "$1" "$out/$to"
    dpkg -x "$2" "$out/$to"
    shift 2
    "$depmod" -n -e -b "$out/from" \
      -E "$out/$to/usr/src/linux-headers-6.1.0-$to-amd64/Module.symvers" 6.1.0-53-amd64
  done
  rm -rf "$out"
}

packages_rows() {
  local from to count packages=() targets=()
  from=$(deb_of linux-image-6.1.0-53-amd64)
  for to in 54 55 56; do
    packages+=("$(deb_of "linux-image-6.1.0-$to-amd64")" "$(deb_of "linux-headers-6.1.0-$to-amd64")")
  done
  for to in "${packages[@]}"; do
    targets+=(--kernel "$to")
  done
  count=$(dpkg-deb -c "$from" | grep -c '\.ko$')
  ours=("$weaklink" check --alone --format ndjson "$from" "${targets[@]}")
  expect_verdicts "$count" 3
  export -f unpack_and_depmod
  export scratch depmod
  peer=(bash -c 'unpack_and_depmod "$@"' unpack "$from" "${packages[@]}")
  first_and_again "$third" "5 s" "" "\`check\` of a kernel's package on three (dpkg -x, depmod)"
}

audited=(6.1.0-47 6.1.0-50 6.1.0-53 6.1.0-54 6.1.0-55 6.1.0-56)

# Prints the inventory of a node that has COUNT of its kernel's modules below extra, from the FIRST on.
node_of() {
  local release=$1 first=$2 count=$3 image=$scratch/node tree extra
  tree=$(tree_of "$release")
  extra=$image/lib/modules/$release/extra
  mkdir -p "$extra"
  find "$tree/lib/modules/$release/kernel" -name '*.ko' | LC_ALL=C sort |
    awk -v f="$first" -v n="$count" '{ m[NR] = $0 }
      END { if (n > NR) n = NR; for (i = 0; i < n; i++) print m[(f + int(i * NR / n)) % NR + 1] }' |
    xargs -I{} cp {} "$extra/"
  touch "$image/lib/modules/$release/modules.order"
  "$depmod" -b "$image" "$release" 2>/dev/null
  sh "$top/src/main/dist/weaklink-collect" --full --name=node --root="$image"
  rm -rf "$image"
}

# Sets "releases" to the audited kernels that are still available.
find_audited() {
  local release
  releases=()
  for release in "${audited[@]}"; do
    if (tree_of "$release-amd64") >/dev/null 2>&1; then
      releases+=("$release-amd64")
    fi
  done
  [[ ${#releases[@]} -gt 0 ]] || fail "none of ${audited[*]} is there; name a directory with --kernels"
}

# Makes COUNT targets by copying the same kernels under other names; sets "targets".
targets_of() {
  local i release
  targets=()
  for ((i = 0; i < $1; i++)); do
    release=${releases[i % ${#releases[@]}]}
    ln -sf "$(tree_of "$release")/usr/src/linux-headers-$release/Module.symvers" "$scratch/symvers-$i"
    targets+=(--kernel "$scratch/symvers-$i")
  done
}

# Measures 100,000 nodes with 40 sets of 30 modules each, without a kernel and on 12 kernels.
audit_rows() {
  local i
  find_audited
  for ((i = 0; i < 40; i++)); do
    node_of "${releases[i % ${#releases[@]}]}" "$i" 30 >"$scratch/set-$i"
  done
  "${java}c" -d "$scratch" "$top/src/bench/Cluster.java"
  "$java" -cp "$scratch" Cluster 100000 "$scratch/nodes" "$scratch"/set-*
  peer=("$weaklink" audit "$scratch/nodes")
  targets_of 12
  ours=("$weaklink" audit "$scratch/nodes" "${targets[@]}")
  row "$third" nothing "20 s, 1024 MiB" "\`audit\` of 100,000 nodes on 12 kernels (on none)"
}

# Measures ten times as much as the row before; linear growth is at most ten times the time.
scale_rows() {
  local count tree module made=0
  find_audited
  tree=$(tree_of "${releases[0]}")
  for count in 1 10 100; do
    targets_of "$count"
    ours=("$weaklink" check --format ndjson "${targets[@]}"
      "$tree/lib/modules/${releases[0]}/kernel/drivers/net/ethernet")
    row "$third" forget "" "\`check\` of drivers/net/ethernet on $count kernels"
  done
  targets_of 1
  module=$(find "$tree/lib/modules/${releases[0]}/kernel/lib" -name '*.ko' | LC_ALL=C sort | head -n 1)
  mkdir "$scratch/many"
  for count in 10 100 1000 10000 100000; do
    # shellcheck disable=SC2016
    seq -f "$scratch/many/m%.0f.ko" $((made + 1)) "$count" |
      xargs -n 500 sh -c 'tee "$@" <"$0" >/dev/null' "$module"
    made=$count
    ours=("$weaklink" check --alone --format ndjson "${targets[@]}" "$scratch/many")
    row "$third" forget "" "\`check\` of $count modules in a directory"
  done
}

"$weaklink" --version >/dev/null || fail "$weaklink --version does not run"
say "measuring ..."
printf '| command (its peer) | peer | weaklink | ratio (least–most) | peak memory | at most |\n|---|---|---|---|---|---|\n' >"$scratch/table"
for part in start plain xz plan explain packages links audit scale; do
  if wants "$part"; then
    peer=()
    "${part}_rows"
  fi
done
cat "$scratch/table"
printf '\n%s cores; %s; %s.\n' "$(nproc)" "$("$java" -version 2>&1 | head -n 1)" \
  "$("$depmod" --version | head -n 1)"
