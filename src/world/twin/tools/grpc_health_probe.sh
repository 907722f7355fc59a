# The fast path of the health probe: recognises only a healthy server, for a tenth of the cost of starting Node. Probes
# run every few seconds within the CPU limit of their pod. In all other cases it exits with 1 and without output, and
# the program runs instead.
for argument; do
  case $argument in
    -addr=*:* | --addr=*:*) address=${argument#*=} ;;
    -rpc-timeout=* | -connect-timeout=*) ;;
    *) exit 1 ;;
  esac
done
[[ -n $address ]] || exit 1
host=${address%:*}
{ exec 3<>"/dev/tcp/${host:-127.0.0.1}/${address##*:}"; } 2>/dev/null || exit 1

# The bytes that the program sends: preface, settings, headers and the empty message of one stream.
printf 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0' >&3
printf '\0\0\x43\1\4\0\0\0\1\x83\x86\4\x1c/grpc.health.v1.Health/Check\1\1a\xf\x10\x10application/grpc\0\2te\btrailers' >&3
printf '\0\0\5\0\1\0\0\0\1\0\0\0\0\0' >&3

# The response is a five-byte prefix, of which bash keeps only the 2, then 8 and 1: field 1 is SERVING.
LC_ALL=C
while IFS= read -r -t 1 -d $'\1' -u 3 part; do
  if [[ $part == $'\2\b' ]]; then
    echo 'status: SERVING' >&2
    exit 0
  fi
done
exit 1
