# The fast path of the readiness probe `mysql -uroot -e "SELECT 1"`: recognises only success, for a fifth of the cost of
# starting Node. In all other cases it exits with 1 and without output, and the program runs instead.
[[ $# == 3 && $1 == -uroot && $2 == -e && $3 == 'SELECT 1' ]] || exit 1
{ exec 3<>"/dev/tcp/127.0.0.1/${MYSQL_TCP_PORT:-3306}"; } 2>/dev/null || exit 1

# A login without a password, the query, and COM_QUIT, in one write.
printf '\x3c\0\0\1\1\x82\x8\0\0\0\0\1\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0root\0\0mysql_native_password\0' >&3
printf '\x9\0\0\0\3SELECT 1\1\0\0\0\1' >&3

# Bash drops zero bytes: of the row, the fourth packet, its length, its number and the text 1 of one byte remain.
LC_ALL=C
answer=
while IFS= read -r -t 1 -d '' -u 3 part; do answer+=$part; done
[[ $answer == *$'\2\4\x01''1'* ]] || exit 1
printf '1\n1\n'
