# The short way of the readiness probe `mysql -uroot -e "SELECT 1"`: knows only the good answer, for a fifth of what the
# start of Node costs. Whatever else happens ends with 1 and without a word, and the program itself finds out.
[[ $# == 3 && $1 == -uroot && $2 == -e && $3 == 'SELECT 1' ]] || exit 1
{ exec 3<>"/dev/tcp/127.0.0.1/${MYSQL_TCP_PORT:-3306}"; } 2>/dev/null || exit 1

# A login without a password, the query, and the farewell, all at once.
printf '\x3c\0\0\1\1\x82\x8\0\0\0\0\1\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0root\0\0mysql_native_password\0' >&3
printf '\x9\0\0\0\3SELECT 1\1\0\0\0\1' >&3

# Bash keeps no zeros: of the row, the fourth packet, there remain its length and its number, and a 1 of one letter.
LC_ALL=C
answer=
while IFS= read -r -t 1 -d '' -u 3 part; do answer+=$part; done
[[ $answer == *$'\2\4\x01''1'* ]] || exit 1
printf '1\n1\n'
