#!/usr/bin/env bash
# generators.sh DIR SOURCE LIBRARIES: builds the two programs that compute CRCs of exported symbols, DIR/genksyms and
# DIR/gendwarfksyms, unless they exist. SOURCE is an unpacked source package of the kernel, LIBRARIES an unpacked libdw.
# Exit status 3: the source has no gendwarfksyms (before 6.14).
set -euo pipefail

[[ $# -eq 3 ]] || { sed -n 's/^# \{0,1\}//; 2,5p' "$0" >&2; exit 2; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
root=$(cd "$3" && pwd)
[[ -x $directory/genksyms && -x $directory/gendwarfksyms ]] && exit 0

source=$(find "$source/usr/src" -name 'linux-source-*.tar.*' | sort -V | tail -n 1)
[[ -n $source ]] || exit 3
tree=$directory/tree
rm -rf "$tree"
mkdir "$tree"
tar -C "$tree" -xf "$source" --strip-components=1 --wildcards \
  'linux-source-*/scripts/gendwarfksyms' 'linux-source-*/scripts/genksyms' \
  'linux-source-*/scripts/include'
cd "$tree/scripts"
[[ -d gendwarfksyms ]] || exit 3

flex -o genksyms/lex.lex.c -L genksyms/lex.l
bison -o genksyms/parse.tab.c --defines=genksyms/parse.tab.h -t -l genksyms/parse.y
options=(-O1 -w -D_GNU_SOURCE -I include)
(cd genksyms && gcc "${options[@]}" -I ../include -I . -o "$directory/genksyms" genksyms.c parse.tab.c lex.lex.c)
libraries=$root/usr/lib/x86_64-linux-gnu
gcc "${options[@]}" -I gendwarfksyms -isystem "$root/usr/include" -o "$directory/gendwarfksyms" \
  gendwarfksyms/*.c -L "$libraries" -Wl,-rpath,"$libraries" -Wl,-rpath-link,"$libraries" \
  -Wl,--allow-shlib-undefined -ldw -lelf -lz
rm -rf "$tree"
