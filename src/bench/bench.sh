#!/usr/bin/env bash
# Measures ./weaklink beside depmod and beside an empty Java program, all in one run, with a warm
# page cache and a cold JVM each time, on real Debian kernels. A first run finds no facts kept and
# writes them; a run "again" finds what the one before has kept. Prints a Markdown table.
#
#   src/bench/bench.sh [--kernels DIR] [--debs DIR] [--runs N] [--only fast|xz|links|packages|audit]
#
#   --kernels DIR  where unpacked kernels are or shall be fetched to (default target/real-kernels;
#                  Debian with the lists of bookworm and its security suite, `apt-get update` first)
#   --debs DIR     where packages of kernels are or shall be fetched to (default KERNELS/debs)
#   --runs N       runs of each command (default 10; the xz tree and packages get a third of that)
#   --only WHAT    leave out all but installed kernels, one with packed modules,
#                  links, packages, or an audit of 100,000 nodes
#
# Needs depmod (kmod) and a JDK; uses hyperfine for the times and GNU time for the peak memory where
# they are installed, a plain loop and no memory column otherwise.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
kernels=$top/target/real-kernels
debs=
runs=10
only=all

say() { printf '%s\n' "$*" >&2; }
fail() { say "bench.sh: $*"; exit 2; }

while [[ $# -gt 0 ]]; do
  case $1 in
    --kernels) kernels=${2:?--kernels needs a directory}; shift 2 ;;
    --debs) debs=${2:?--debs needs a directory}; shift 2 ;;
    --runs) runs=${2:?--runs needs a number}; shift 2 ;;
    --only) only=${2:?--only needs fast, xz, links, packages or audit}; shift 2 ;;
    *) sed -n '/^#   src/,/^#   --only/s/^# \{0,3\}//p' "$0" >&2; exit 2 ;;
  esac
done
[[ $runs =~ ^[1-9][0-9]*$ ]] || fail "--runs needs a positive number, not '$runs'"
[[ $only =~ ^(all|fast|xz|links|packages|audit)$ ]] || fail "--only needs fast, xz, links, packages or audit, not '$only'"

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
weaklink=$top/weaklink
depmod=$(PATH=$PATH:/usr/sbin:/sbin command -v depmod) || fail "depmod is missing: apt-get install kmod"
command -v "$java" >/dev/null || fail "java is missing: apt-get install openjdk-17-jdk-headless"
[[ -x $weaklink ]] || fail "there is no $weaklink"

scratch=$(mktemp -d)
export WEAKLINK_CACHE=$scratch/cache
trap 'rm -rf "$scratch"' EXIT

tree_of() {
  "$top/src/test/scripts/kernels.sh" get "$kernels" "$1" ||
    fail "no kernel $1; name another directory with --kernels"
}

# Sets the arrays check and depmod_check: the modules of one tree against another kernel.
commands_for() {
  local tree=$1 release=$2 target=$3 target_release=$4
  check=("$weaklink" check --format ndjson --root "$target" --kernel "$target_release"
    "$tree/lib/modules/$release")
  depmod_check=("$depmod" -n -e -b "$tree"
    -E "$target/usr/src/linux-headers-$target_release/Module.symvers" "$release")
}

# Fails unless the command gives one verdict for each of COUNT modules, besides a line for the target
# and one for the summary: what is fast must be right.
expect_verdicts() {
  local count=$1 status=0 lines
  shift
  "$@" >"$scratch/verdicts" || status=$?
  lines=$(wc -l <"$scratch/verdicts")
  [[ $status =~ ^[013]$ && $lines -eq $((count + 2)) ]] ||
    fail "exit code $status and $lines lines on $count modules: ${*:1:8} ..."
}

count_modules() { find "$1" -name '*.ko*' | wc -l; }

expect_depmod() {
  "${depmod_check[@]}" >/dev/null 2>&1 || fail "depmod failed: ${depmod_check[*]}"
}

# Before each run of what is measured; "true" or "forget".
before=true
forget() { rm -rf "$WEAKLINK_CACHE"; }

# measure RUNS NAME COMMAND...: appends "name,median,minimum,peak KiB" to the results.
measure() {
  local count=$1 name=$2 peak='' prepare=true
  shift 2
  [[ $before == forget ]] && prepare="rm -rf ${WEAKLINK_CACHE@Q}"
  say "  $name"
  "$@" >/dev/null 2>&1 || true
  if command -v hyperfine >/dev/null; then
    hyperfine --style none --shell none --ignore-failure --warmup 1 --runs "$count" \
      --prepare "$prepare" --export-csv "$scratch/one.csv" "${*@Q}" >/dev/null 2>&1
    # command,mean,stddev,median,user,system,min,max; only the command may hold commas
    awk -F, 'NR == 2 { print $(NF - 4) "," $(NF - 1) }' "$scratch/one.csv" >"$scratch/one"
  else
    loop "$count" "$@" >"$scratch/one"
  fi
  if [[ -x /usr/bin/time ]]; then
    "$before"
    /usr/bin/time -q -f %M -o "$scratch/peak" "$@" >/dev/null 2>&1 || true
    peak=$(tail -n 1 "$scratch/peak")
  fi
  printf '%s,%s,%s\n' "$name" "$(cat "$scratch/one")" "$peak" >>"$scratch/results"
}

# loop RUNS COMMAND...: prints "median,minimum" in seconds.
loop() {
  local count=$1 start i
  shift
  for ((i = 0; i < count; i++)); do
    "$before"
    start=$EPOCHREALTIME
    "$@" >/dev/null 2>&1 || true
    awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
  done | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] "," t[1] }'
}

# first_and_again RUNS NAME COMMAND...: a row for runs that find nothing kept, and one for the others.
first_and_again() {
  local count=$1 name=$2
  shift 2
  before=forget
  measure "$count" "$name" "$@"
  before=true
  measure "$count" "$name (again)" "$@"
}

# row NAME BASE LIMIT: one line of the table; the ratio is to the median of BASE.
row() {
  awk -F, -v name="$1" -v base="$2" -v limit="$3" '
    { median[$1] = $2; least[$1] = $3; peak[$1] = $4 }
    END {
      if (!(name in median)) exit
      ratio = base == "" ? "" : sprintf("%.2f", median[name] / median[base])
      memory = peak[name] == "" ? "" : sprintf("%.0f MiB", peak[name] / 1024)
      printf "| %s | %.3f s | %.3f s | %s | %s | %s |\n", name, median[name], least[name],
        memory, ratio, limit
    }' "$scratch/results"
}

plain_rows() {
  local root53 root54 small few
  root53=$(tree_of 6.1.0-53-amd64)
  root54=$(tree_of 6.1.0-54-amd64)
  find "$root53/lib/modules" "$root54/lib/modules" -name '*.ko' -exec cat {} + >/dev/null
  commands_for "$root53" 6.1.0-53-amd64 "$root54" 6.1.0-54-amd64
  mapfile -t small < <(find "$root53/lib/modules/6.1.0-53-amd64/kernel/drivers/net/ethernet" \
    -name '*.ko' | LC_ALL=C sort | sed -n 1,30p)
  few=("${check[@]:0:${#check[@]}-1}" "${small[@]}")
  expect_verdicts 30 "${few[@]}"
  expect_verdicts "$(count_modules "$root53/lib/modules/6.1.0-53-amd64/kernel")" "${check[@]}"
  expect_depmod
  measure "$runs" "empty Java main" "$java" -Xshare:auto -XX:+UseSerialGC -cp "$scratch" Empty
  measure "$runs" "weaklink --version" "$weaklink" --version
  measure "$runs" "weaklink check: 30 modules" "${few[@]}"
  measure "$runs" "depmod: 6.1.0-53 on 54" "${depmod_check[@]}"
  first_and_again "$runs" "weaklink check: 6.1.0-53 on 54" "${check[@]}"
}

xz_rows() {
  local root117 root115 third=$(((runs + 2) / 3))
  root117=$(tree_of 6.12.117+deb12-amd64)
  root115=$(tree_of 6.12.115+deb12-amd64)
  find "$root117/lib/modules" "$root115/lib/modules" -name '*.ko.xz' -exec cat {} + >/dev/null
  commands_for "$root117" 6.12.117+deb12-amd64 "$root115" 6.12.115+deb12-amd64
  expect_verdicts "$(count_modules "$root117/lib/modules/6.12.117+deb12-amd64/kernel")" "${check[@]}"
  expect_depmod
  measure "$third" "depmod: 6.12.117 (.ko.xz) on 115" "${depmod_check[@]}"
  first_and_again "$third" "weaklink check: 6.12.117 (.ko.xz) on 115" "${check[@]}"
}

deb_of() {
  "$top/src/test/scripts/kernels.sh" package "${debs:-$kernels/debs}" "$1" ||
    fail "no package $1; name another directory with --debs"
}

# An image as Red Hat has them: two kernels, and COUNT modules of the older one below its extra.
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
  # every so-manieth of all, so that drivers of every kind are among them
  find "$image/lib/modules/$from/kernel" -name '*.ko' | LC_ALL=C sort |
    awk -v n="$count" '{ f[NR] = $0 } END { for (i = 0; i < n; i++) print f[int(i * NR / n) + 1] }' |
    xargs -I{} ln {} "$image/lib/modules/$from/extra/"
  mkdir -p "$image/etc/depmod.d"
  echo 'search updates extra built-in weak-updates' >"$image/etc/depmod.d/dist.conf"
  for release in "$from" "$to"; do
    "$depmod" -b "$image" "$release"
  done
  printf '%s\n' "$image"
}

# What a kernel package's scriptlet asks for; weak-modules' own figures are in the table's last column.
link_rows() {
  local third=$(((runs + 2) / 3)) pair from to count image
  for pair in "53 54 30" "53 54 300" "55 56 300"; do
    read -r from to count <<<"$pair"
    image=$(image_of "6.1.0-$from-amd64" "6.1.0-$to-amd64" "$count")
    measure "$third" "weak-modules --add-kernel: $count modules of $from on $to" "$weaklink" \
      weak-modules --add-kernel "6.1.0-$to-amd64" --dry-run --no-initramfs --basedir "$image"
    WEAKLINK_CACHE=off measure "$third" "weaklink plan: $count modules of $from on $to" "$weaklink" \
      plan --kernel "6.1.0-$to-amd64" --root "$image"
  done
}

# What it takes without weaklink: both packages unpacked, and depmod on what comes out.
unpack_and_depmod() {
  local from=$1 to=$2 headers=$3 out=$scratch/unpacked
  mkdir -p "$out/from" "$out/to"
  dpkg -x "$from" "$out/from"
  dpkg -x "$to" "$out/to"
  dpkg -x "$headers" "$out/to"
  "$depmod" -n -e -b "$out/from" -E "$out/to/usr/src/linux-headers-6.1.0-54-amd64/Module.symvers" \
    6.1.0-53-amd64
  rm -rf "$out"
}

package_rows() {
  local from to headers count third=$(((runs + 2) / 3))
  from=$(deb_of linux-image-6.1.0-53-amd64)
  to=$(deb_of linux-image-6.1.0-54-amd64)
  headers=$(deb_of linux-headers-6.1.0-54-amd64)
  cat "$from" "$to" "$headers" >/dev/null
  count=$(dpkg-deb -c "$from" | grep -c '\.ko$')
  check=("$weaklink" check --alone --format ndjson "$from" --kernel "$to")
  expect_verdicts "$count" "${check[@]}"
  export -f unpack_and_depmod
  export scratch depmod
  measure "$third" "dpkg -x and depmod: 6.1.0-53 on 54" \
    bash -c 'unpack_and_depmod "$@"' unpack "$from" "$to" "$headers"
  measure "$third" "weaklink check: packages of 6.1.0-53 on 54" "${check[@]}"
}

audited=(6.1.0-47 6.1.0-50 6.1.0-53 6.1.0-54 6.1.0-55 6.1.0-56)

# What a node tells whose kernel has COUNT of its own modules below extra, beginning with the FIRST.
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

# 100,000 nodes with 40 sets of 30 modules each on 12 kernels; then all modules of a kernel on 1 and
# on 30. Where there are fewer kernels, they are repeated under other names.
audit_rows() {
  local i release symvers=() few=() many=() tree
  for release in "${audited[@]}"; do
    tree=$(tree_of "$release-amd64")
    symvers+=("$tree/usr/src/linux-headers-$release-amd64/Module.symvers")
  done
  for ((i = 0; i < 30; i++)); do
    ln -s "${symvers[i % ${#symvers[@]}]}" "$scratch/symvers-$i"
    many+=(--kernel "$scratch/symvers-$i")
    ((i >= 12)) || few+=(--kernel "$scratch/symvers-$i")
  done
  for ((i = 0; i < 40; i++)); do
    node_of "${audited[i % ${#audited[@]}]}-amd64" "$i" 30 >"$scratch/set-$i"
  done
  "${java}c" -d "$scratch" "$top/src/bench/Cluster.java"
  "$java" -cp "$scratch" Cluster 100000 "$scratch/nodes" "$scratch"/set-*
  node_of 6.1.0-53-amd64 0 100000 >"$scratch/whole"
  tree=$(tree_of 6.1.0-53-amd64)
  measure "$(((runs + 2) / 3))" "audit: 100 000 nodes on no kernel" "$weaklink" audit "$scratch/nodes"
  measure "$(((runs + 2) / 3))" "audit: 100 000 nodes on 12 kernels" "$weaklink" audit "$scratch/nodes" "${few[@]}"
  WEAKLINK_CACHE=off measure "$(((runs + 2) / 3))" "check: 4 000 modules on 1 kernel" "$weaklink" check --format ndjson \
    --kernel "${symvers[1]}" "$tree/lib/modules/6.1.0-53-amd64/kernel"
  measure "$(((runs + 2) / 3))" "audit: 4 000 modules on 30 kernels" "$weaklink" audit "$scratch/whole" "${many[@]}"
  further_kernel_rows
}

# What kernels cost beyond the first fifty: with modules to judge, and with none, for which they are
# only read. So many, that what differs from run to run weighs little against them.
further_kernel_rows() {
  local i kernels=() input
  mkdir -p "$scratch/bare/lib/modules/6.1.0-1-amd64"
  sh "$top/src/main/dist/weaklink-collect" --full --name=bare --root="$scratch/bare" \
    >"$scratch/no modules"
  "$java" -cp "$scratch" Cluster 40 "$scratch/40 sets" "$scratch"/set-*
  for ((i = 0; i < 650; i++)); do
    ln -s "$(readlink "$scratch/symvers-$((i % 30))")" "$scratch/further-$i"
    kernels+=(--kernel "$scratch/further-$i")
  done
  further "${kernels[@]}" >"$scratch/further"
  for input in "no modules" "40 sets"; do
    awk -F, -v input="$input" '$1 == input { print $2 }' "$scratch/further" | sort -n |
      awk -v input="$input" '
        { t[NR] = $1 }
        END { print "audit: 600 further kernels (" input ")," t[int((NR + 1) / 2)] "," t[1] "," }
      ' >>"$scratch/results"
  done
}

# further KERNELS...: prints "INPUT,SECONDS", by how much 650 kernels take longer than 50. The inputs
# take turns, so that an hour in which the machine is slower is one for both.
further() {
  local i input few many
  say "  audit: 600 further kernels"
  for ((i = 0; i < runs; i++)); do
    for input in "no modules" "40 sets"; do
      few=$(loop 1 "$weaklink" audit "$scratch/$input" "${@:1:100}")
      many=$(loop 1 "$weaklink" audit "$scratch/$input" "$@")
      awk -v input="$input" -v few="${few%,*}" -v many="${many%,*}" \
        'BEGIN { print input "," many - few }'
    done
  done
}

table() {
  printf '| command | median | best | peak memory | ratio | at most |\n|---|---|---|---|---|---|\n'
  row "empty Java main" "" ""
  row "weaklink --version" "empty Java main" "0.15 s"
  row "weaklink check: 30 modules" "empty Java main" "0.3 s"
  row "depmod: 6.1.0-53 on 54" "" ""
  row "weaklink check: 6.1.0-53 on 54" "depmod: 6.1.0-53 on 54" "0.70, 300 MiB"
  row "weaklink check: 6.1.0-53 on 54 (again)" "depmod: 6.1.0-53 on 54" "0.70, 300 MiB"
  row "depmod: 6.12.117 (.ko.xz) on 115" "" ""
  row "weaklink check: 6.12.117 (.ko.xz) on 115" "depmod: 6.12.117 (.ko.xz) on 115" "0.70"
  row "weaklink check: 6.12.117 (.ko.xz) on 115 (again)" "depmod: 6.12.117 (.ko.xz) on 115" "0.70"
  row "weak-modules --add-kernel: 30 modules of 53 on 54" "" "0.29 s (50th of 14.3 s)"
  row "weaklink plan: 30 modules of 53 on 54" "" "0.29 s"
  row "weak-modules --add-kernel: 300 modules of 53 on 54" "" "2.1 s (100th of 214 s)"
  row "weaklink plan: 300 modules of 53 on 54" "" "2.1 s"
  row "weak-modules --add-kernel: 300 modules of 55 on 56" "" "1.4 s (100th of 138 s)"
  row "weaklink plan: 300 modules of 55 on 56" "" "1.4 s"
  row "dpkg -x and depmod: 6.1.0-53 on 54" "" ""
  row "weaklink check: packages of 6.1.0-53 on 54" "dpkg -x and depmod: 6.1.0-53 on 54" "400 MiB"
  row "audit: 100 000 nodes on no kernel" "" ""
  row "audit: 100 000 nodes on 12 kernels" "" "20 s, 1024 MiB"
  row "audit: 600 further kernels (no modules)" "" ""
  row "audit: 600 further kernels (40 sets)" "audit: 600 further kernels (no modules)" "1.05"
  row "check: 4 000 modules on 1 kernel" "" ""
  row "audit: 4 000 modules on 30 kernels" "check: 4 000 modules on 1 kernel" "3.00"
  printf '\n%s cores; %s; %s.\n' "$(nproc)" "$("$java" -version 2>&1 | head -n 1)" \
    "$("$depmod" --version | head -n 1)"
}

"${java}c" -d "$scratch" "$top/src/bench/Empty.java" 2>/dev/null ||
  fail "javac is missing: apt-get install openjdk-17-jdk-headless"
"$weaklink" --version >/dev/null || fail "./weaklink --version does not run"
say "measuring ..."
[[ $only != all && $only != fast ]] || plain_rows
[[ $only != all && $only != xz ]] || xz_rows
[[ $only != all && $only != links ]] || link_rows
[[ $only != all && $only != packages ]] || package_rows
[[ $only != all && $only != audit ]] || audit_rows
table
