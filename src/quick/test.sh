#!/bin/sh
# Compiles the files that changed since the last run, without static analysis, and runs the named tests.
#
#   src/quick/test.sh [--all] [CLASS | CLASS#METHOD]...
#
# CLASS may be a pattern such as 'Audit*Test'. If you change a signature, use --all: unchanged files that use it are
# not compiled otherwise.
set -eu
cd "$(dirname "$0")/../.."
if [ "${1-}" = --all ]; then
  shift
  rm -rf target/quick
fi
# ArchUnit recognises tests by this path.
mkdir -p target/quick/out/main target/quick/out/test
if [ ! -e target/quick/classpath ] || [ pom.xml -nt target/quick/classpath ]; then
  mvn -q -B -DskipAnalysis dependency:build-classpath -Dmdep.outputFile=target/quick/classpath
fi
libraries=$(cat target/quick/classpath)

# Removes the classes of sources that no longer exist.
# remove_gone SOURCES CLASSES
remove_gone() {
  (cd "$1" && find . -name '*.java' | sed 's/\.java$//') | sort -u >"$2.sources"
  (cd "$2" && find . -name '*.class' | sed 's/\($[^/]*\)*\.class$//') | sort -u |
    comm -13 "$2.sources" - |
    while read -r class; do
      rm -f "$2/$class.class" "$2/$class"\$*.class
    done
}

# compile SOURCES CLASSES CLASSPATH
compile() {
  remove_gone "$1" "$2"
  touch "$2.now"
  if [ -e "$2.done" ]; then
    find "$1" -name '*.java' -newer "$2.done" >"$2.files"
  else
    find "$1" -name '*.java' >"$2.files"
  fi
  # Of a class that changed, what it no longer has goes, too.
  sed "s|^$1/||; s|\.java$||" "$2.files" | while read -r class; do
    rm -f "$2/$class.class" "$2/$class"\$*.class
  done
  [ ! -s "$2.files" ] ||
    javac -nowarn -Xlint:none --release 17 -g -parameters -proc:none -d "$2" -cp "$3:$2" "@$2.files"
  mv "$2.now" "$2.done"
}

cp -Ru src/main/resources/. src/main/dist/weaklink-collect target/quick/out/main
# ArchUnit recognises tests by this path.
mkdir -p target/quick/out/main/rules
cp -u rules/*.yaml target/quick/out/main/rules
[ ! -d src/test/resources ] || cp -Ru src/test/resources/. target/quick/out/test
compile src/main/java target/quick/out/main "$libraries"
compile src/test/java target/quick/out/test "target/quick/out/main:$libraries"

for named in "$@"; do
  shift
  method=${named#"${named%%#*}"}
  for file in $(find src/test/java -name "${named%%#*}.java"); do
    class=${file#src/test/java/}
    set -- "$@" "$(echo "${class%.java}" | tr / .)$method"
  done
done
[ $# -eq 0 ] ||
  exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "target/quick/out/test:target/quick/out/main:$libraries" \
    dev.weaklink.testing.QuickRun "$@"
