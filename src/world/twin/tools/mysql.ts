/**
 * `mysql -uroot -psecret -h host -P port -D database -e "SELECT 1"`; reads statements from stdin by default.
 */

import { isatty } from 'node:tty'
import { openMysqlConnection } from '#world/twin/stores'
import { runMysql } from '#world/twin/tool-cores'
import { exitWith } from './exit/exit-with.ts'
import { readInput } from './process-input/read-input.ts'

void runMysql(process.argv.slice(2), {
  open: (options) => openMysqlConnection(options, AbortSignal.timeout(options.connectTimeoutMs)),
  readInput,
  isTerminal: isatty(1),
}).then(({ code, out, err }) => exitWith(code, out, err))
