# Completes weaklink's command lines in bash.
IFS= read -r -d '' _weaklink_script << 'END_OF_SCRIPT'
@SCRIPT@
END_OF_SCRIPT

_weaklink() {
  local -a words=()
  local word line current files='' glue=''
  # bash splits words at = as well
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ -n $glue || $word == = ]] && ((${#words[@]})); then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    [[ $word == = ]] && glue=yes || glue=
  done
  current=${words[${#words[@]} - 1]}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      @files | @dirs) files=$line ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <(sh -c "$_weaklink_script" weaklink "${words[@]}")
  if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then
    current=${current#*=}
    COMPREPLY=("${COMPREPLY[@]#*=}")
  fi
  case $files in
    @dirs) compopt -o dirnames ;;
    @files)
      if ((${#COMPREPLY[@]})); then
        compopt -o filenames
        while IFS= read -r line; do
          COMPREPLY+=("$line")
        done < <(compgen -f -- "$current")
      else
        compopt -o default
      fi
      ;;
  esac
}
complete -F _weaklink weaklink
