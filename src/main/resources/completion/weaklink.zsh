#compdef weaklink
# Completes weaklink's command lines in zsh.
IFS= read -r -d '' _weaklink_script << 'END_OF_SCRIPT'
@SCRIPT@
END_OF_SCRIPT

_weaklink() {
  local line files
  local -a found
  while IFS= read -r line; do
    case $line in
      @files | @dirs) files=$line ;;
      *) found+=("${${line//:/\\:}/$'\t'/:}") ;;
    esac
  done < <(sh -c "$_weaklink_script" weaklink "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
  ((${#found})) && _describe weaklink found
  [[ -n $files && $PREFIX == --*=* ]] && compset -P '*='
  case $files in
    @dirs) _files -/ ;;
    @files) _files ;;
  esac
}

# As a file of $fpath it is the body of the function.
if [[ ${funcstack[1]-} == _weaklink ]]; then
  _weaklink "$@"
else
  compdef _weaklink weaklink
fi
