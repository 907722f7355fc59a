/** The parts of tools that do not depend on where they run: command lines and texts. */

export { runMongoShell, type ShellGlobals } from './mongo-shell/run-mongo-shell.ts'
export { createShellDatabase, findShellMember } from './mongo-shell/shell-database.ts'
export type { MysqlOptions } from './mysql-options.ts'
export { type ProbeOptions, parseProbeOptions, toDurationText } from './probe-options.ts'
export { runMysql } from './run-mysql.ts'
export { runMysqladmin } from './run-mysqladmin.ts'
export { runRedisCli } from './run-redis-cli.ts'
export type { MysqlSurroundings } from './tool-outcome.ts'
export { runXenon } from './xenon/run-xenon.ts'
export { runXenoncli } from './xenon/run-xenoncli.ts'
export type { PodPorts, XenonHost } from './xenon/xenon-host.ts'
