#!/bin/sh
# Fuzzes the readers with arbitrary bytes, one process at a time, and prints the results.
#
#   src/fuzz/fuzz.sh [SECONDS [READER...]]
#
# SECONDS is the time for each reader (default 60). READERs are those of FuzzTargets (default: all). Inputs that reach
# new code are kept in target/fuzz/corpus, inputs that cause a failure in target/fuzz/findings, and the output of Jazzer
# in target/fuzz/READER.log.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
[ $# -eq 0 ] || shift

mvn -q -B -Pfuzz -DskipAnalysis -DskipTests test-compile dependency:build-classpath \
  -Dmdep.outputFile=target/fuzz-classpath
classpath=target/test-classes:target/classes:$(cat target/fuzz-classpath)
mkdir -p target/fuzz/corpus target/fuzz/findings
all=$(java -cp "$classpath" dev.weaklink.fuzz.Fuzz target/fuzz/seeds)

if [ $# -eq 0 ]; then
  # shellcheck disable=SC2086
  set -- $all
fi
found=0
for reader in "$@"; do
  mkdir -p "target/fuzz/corpus/$reader" "target/fuzz/findings/$reader"
  log=target/fuzz/$reader.log
  # What Jazzer unpacks goes away with the run. A pattern of depmod.d(5) is meant to be compiled, and
  # ReleasePattern bounds what it may cost: that it came from a file is no finding.
  nice -n 19 java -Xmx1g -Djava.io.tmpdir=target/fuzz -Dweaklink.fuzz="$reader" -cp "$classpath" \
    com.code_intelligence.jazzer.Jazzer --target_class=dev.weaklink.fuzz.Fuzz \
    --instrumentation_includes=dev.weaklink.**:org.apache.commons.compress.**:org.tukaani.**:org.bouncycastle.**:net.fornwall.**:com.fasterxml.** \
    --reproducer_path=target/fuzz/findings \
    --disabled_hooks=com.code_intelligence.jazzer.sanitizers.RegexInjection \
    -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="target/fuzz/findings/$reader/" \
    "target/fuzz/corpus/$reader" "target/fuzz/seeds/$reader" >"$log" 2>&1 || found=1
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "$reader: ${runs:-0} inputs, $(find "target/fuzz/findings/$reader" -type f | wc -l) findings"
done
exit $found
