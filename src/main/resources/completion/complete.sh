# Prints the completions of the last argument: on each line a word, a tab and the word's description.
# The arguments are the words of a weaklink command line up to the cursor. The lines @files and @dirs
# make the shell complete file names.
#
# Reads directories and rule files only, and starts no JVM. Prints only names with plain characters,
# so that no name has a special meaning in a shell.
LC_ALL=C
export LC_ALL

# Sets rows to the subcommands, options and operands of a command, each as NAME;VALUE;TEXT. NAME is a
# subcommand, an option or the index of an operand (with + if the operand repeats). VALUE is the label
# of its value (after ? if the value is optional), =A|B for one of the words A and B, or @ for a
# subcommand. TEXT is the description.
rows() {
  case $1 in
@ROWS@
    *) rows= ;;
  esac
}

candidate() {
  case $1 in
    "$current"*) printf '%s%s\t%s\n' "$head" "$1" "${2-}" ;;
  esac
}

# found NAME...: prints the names that complete the word; a NAME may be a path.
found() {
  for name in "$@"; do
    name=${name%/}
    name=${name##*/}
    case $name in
      '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._+~@-]*) ;;
      *) candidate "$name" ;;
    esac
  done
}

lines() {
  while IFS= read -r line; do
    found "$line"
  done
}

kernels() {
  found "$root"/lib/modules/*/ "$root"/usr/lib/modules/*/
}

stored() {
  for file in "${store:-$root/var/lib/weaklink/kernels}"/*@*.kernel.zip; do
    found "${file%@*}"
  done
}

# Prints the names of out-of-tree modules.
modules() {
  find "$root"/lib/modules/*/extra "$root"/lib/modules/*/updates \
    "$root"/lib/modules/*/weak-updates -name '*.ko*' 2> /dev/null \
    | sed -n 's,^.*/\([^/]*\)\.ko\(\.[gxz][zs]*t*\)*$,\1,p' | tr - _ | sort -u | lines
}

# Prints directories of modules, such as extra/foo, and DKMS packages.
units() {
  for unit in "$root"/lib/modules/*/extra/*/ "$root"/lib/modules/*/updates/*/; do
    unit=${unit%/}
    above=${unit%/*}
    case ${unit##*/} in
      *[!A-Za-z0-9._+-]*) ;;
      *) candidate "${above##*/}/${unit##*/}" ;;
    esac
  done
  found "$root"/var/lib/dkms/*/
}

products() {
  found @PRODUCTS@ "$root"/var/lib/dkms/*/
  sed -n 's/^ *- *id: *\([^ ]*\) *$/\1/p' "$root"/etc/weaklink/*.yaml 2> /dev/null | lines
}

runs() {
  if [ -n "$kernel" ]; then
    found "$root/var/lib/weaklink/rebuilds/$kernel"/*/
  else
    found "$root"/var/lib/weaklink/rebuilds/*/*/
  fi
}

words() {
  IFS='|'
  set -f
  # shellcheck disable=SC2086
  for name in $1; do
    candidate "$name"
  done
  set +f
  unset IFS
}

values() {
  case ${1#\?} in
    =*) words "${1#*=}" ;;
    RELEASE) kernels ;;
    K | OLD | NEW | PATTERN) kernels; stored; echo @files ;;
    KERNEL) stored ;;
    MODULE | 'SYMBOL|MODULE|FINDING') modules; units; [ "$1" = MODULE ] || words '@FINDINGS@'; echo @files ;;
    'MODULE[,MODULE...]') modules ;;
    UNIT) units ;;
    P | PACKAGE) products ;;
    'NAME[/VERSION]') found "$root"/var/lib/dkms/*/ ;;
    NUMBER) found "$root"/var/lib/weaklink/transactions/*/ ;;
    RUN) runs ;;
    DIR) echo @dirs ;;
    BUILD | FILE | PART | PATH | IMAGE | INPUT | LIBRARY | LINK | NODES | PROG | RESULT) echo @files ;;
  esac
}

# Sets value to the VALUE of the row with this NAME; fails if the command has no such row.
look() {
  while IFS=';' read -r name value text; do
    [ "$name" != "$1" ] || return 0
  done << END
$rows
END
  value=
  return 1
}

# remember OPTION VALUE: stores a value on which the completions of other values depend.
remember() {
  case $1 in
    --root | --basedir)
      root=$2
      # the shell has not expanded ~ yet
      case $root in \~/*) root=$HOME/${root#??} ;; esac
      ;;
    --kernel) kernel=$2 ;;
    --store) store=$2 ;;
  esac
}

# Succeeds if a word is the value of the option before it.
is_value() {
  case $value,$1 in
    ,* | '?'*,-*) return 1 ;;
  esac
}

# Reads the words before the cursor, and sets current to the word at the cursor.
walk() {
  while [ $# -gt 1 ]; do
    if is_value "$1"; then
      remember "$option" "$1"
      value=
    else
      word "$1"
    fi
    shift
  done
  current=$1
}

word() {
  case $operands$1 in
    --) operands=yes ;;
    --*=*) remember "${1%%=*}" "${1#*=}" ;;
    -?*) look "$1" && option=$1 ;;
    *)
      if look "$1" && [ "$value" = @ ]; then
        command="$command $1" place=0
        rows "$command"
      else
        place=$((place + 1))
      fi
      value=
      ;;
  esac
}

# Prints the subcommands or options that complete the word, with their descriptions.
names() {
  while IFS=';' read -r name value text; do
    case $1$value,$name in
      commands@,* | options*,-*) candidate "$name" "$text" ;;
    esac
  done << END
$rows
END
}

operand() {
  at=$place
  look "$at" || while [ "$at" -ge 0 ] && ! look "$at+"; do
    at=$((at - 1))
  done
  values "$value"
}

answer() {
  if is_value "$current"; then
    values "$value"
    return
  fi
  case $operands$current in
    --*=*)
      head=${current%%=*}=
      look "${current%%=*}"
      current=${current#*=}
      values "$value"
      ;;
    -*) names options ;;
    *)
      names commands
      operand
      ;;
  esac
}

root='' kernel='' store='' command='' option='' value='' operands='' head='' place=0
rows ''
walk "$@"
answer
