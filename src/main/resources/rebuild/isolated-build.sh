# Runs a command that can change one directory and nothing else: own mounts, processes and network, every file
# system read-only but WORK and empty temporary directories. To be run by sh as root, below
# 'unshare --mount --net --ipc --pid --fork --kill-child --mount-proc'.
#
#   WORK HEADERS UID GID COMMAND...
#
# HEADERS is a directory with usr/src and usr/lib/modules of headers that are not installed, or empty.
set -eu
work=$1 headers=$2 uid=$3 gid=$4
shift 4

mount --make-rprivate /
for directory in /tmp /var/tmp /dev/shm; do
  case $work/ in
    "$directory"/*) ;;
    *) [ ! -d "$directory" ] || mount -t tmpfs -o size=256m,mode=1777 tmp "$directory" ;;
  esac
done
if [ -n "$headers" ]; then
  # Build files name /usr/src and /lib/modules by absolute paths, so the headers have to appear there. An overlay does
  # not show what is mounted below a lower directory; /usr/src and /lib/modules may be such mounts.
  saved=$(mktemp -d)
  mount --rbind /usr "$saved"
  mount -t overlay -o "ro,lowerdir=$headers/usr:$saved" headers /usr
  for directory in src lib/modules; do
    if [ -d "$headers/usr/$directory" ] && [ -d "$saved/$directory" ]; then
      mount -t overlay -o "ro,lowerdir=$headers/usr/$directory:$saved/$directory" headers "/usr/$directory"
    fi
  done
  if [ ! -L /lib ] && [ -d /lib/modules ] && [ -d "$headers/usr/lib/modules" ]; then
    mount -t overlay -o "ro,lowerdir=$headers/usr/lib/modules:/lib/modules" headers /lib/modules
  fi
fi
# Build files may ask for the name of the user.
if [ -f /etc/passwd ] && ! grep -q "^[^:]*:[^:]*:$uid:" /etc/passwd; then
  users=$(mktemp)
  chmod 644 "$users"
  { cat /etc/passwd; echo "weaklink-trial:x:$uid:$gid::/nonexistent:/usr/sbin/nologin"; } >"$users"
  mount --bind "$users" /etc/passwd
fi
mount --bind "$work" "$work"
# The work directory may be below one of them.
while read -r _ _ _ _ mounted _; do
  case $mounted in
    "$work" | /tmp | /var/tmp | /dev/shm | /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) ;;
    *) mount -o remount,bind,ro "$mounted" 2>/dev/null || [ "$mounted" != / ] ;;
  esac
done </proc/self/mountinfo
cd "$work"
# If memory runs out, the kernel ends this build first.
echo 1000 >/proc/self/oom_score_adj 2>/dev/null || :
# This shell stays the first process of the namespace, out of the build's reach. If weaklink is killed, unshare and this
# shell are, too, and the kernel then kills the rest of the namespace. A change of the user would cancel that.
status=0
setpriv "--reuid=$uid" "--regid=$gid" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
  prlimit --nproc=1024 --as=8589934592 --fsize=4294967296 --core=0 -- "$@" || status=$?
exit "$status"
