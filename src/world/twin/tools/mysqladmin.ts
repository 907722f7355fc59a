/**
 * `mysqladmin ping -uroot` checks whether a MySQL server runs; also supports `status`, `processlist` and
 * `variables`.
 */
import { openMysqlConnection } from '#world/twin/stores'
import { runMysqladmin } from '#world/twin/tool-cores'
import { exitWith } from './exit/exit-with.ts'

void runMysqladmin(process.argv.slice(2), (options) =>
  openMysqlConnection(options, AbortSignal.timeout(options.connectTimeoutMs)),
).then(({ code, out, err }) => exitWith(code, out, err))
