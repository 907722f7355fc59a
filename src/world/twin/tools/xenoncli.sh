# The fast path of `xenoncli xenon ping`: recognises only success. In all other cases the program runs instead.
[[ "$*" == 'xenon ping' ]] || exit 1
{ exec 3<>"/dev/tcp/127.0.0.1/${XENON_PORT:-8801}"; } 2>/dev/null || exit 1
echo ping >&3
IFS= read -r -t 1 -u 3 answer && [[ $answer == OK ]] || exit 1
echo OK
