/** Reads a telemetry file in a separate process, and kills the process if a query exceeds its timeout. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Clock, Timer } from '#kit'
import { RemediumError, type SqlAnswer } from '#spec'
import type { SqlParameter, SqlReply, SqlRequest, SqlRow } from './sql-request.ts'
import { failedQueryError, toUserRequest } from './user-query.ts'

const PROGRAM = join(import.meta.dirname, 'read-process.ts')
const TIMEOUT_MS = 10_000
/** Timeout of internal queries, whose cost is bounded. */
const INTERNAL_TIMEOUT_MS = 60_000
const IDLE_TIMEOUT_MS = 20_000
/** CPU limit enforced by the kernel, in case this process is killed and cannot stop the reader. */
const MAX_CPU_SECONDS = 600
/** More than any internal query needs. */
const MAX_MEMORY_KIB = 1.5 * 2 ** 20

export interface SqlReader {
  /** Runs a trusted query and returns all rows. */
  rows(sql: string, parameters: readonly SqlParameter[]): Promise<readonly SqlRow[]>
  /** Runs a query of a user. With `since`, earlier signals and the laboratory are hidden. */
  sql(text: string, parameters?: readonly SqlParameter[], scope?: { since: number }): Promise<SqlAnswer>
  close(): Promise<void>
}

export interface SqlReaderOptions {
  file: string
  clock: Clock
  /** Timeout of users' queries; 10 s by default. */
  timeoutMs?: number
}

/** A process that is started on demand and handles one request at a time. */
const createReadProcess = (file: string, clock: Clock) => {
  let child: ChildProcess | undefined
  let idleTimer: Timer | undefined
  let lastReply: Promise<unknown> = Promise.resolve()
  let closed = false

  const startProcess = (): ChildProcess => {
    const program = [process.execPath, '--max-old-space-size=1024', PROGRAM, file]
    const started = spawn(
      'sh',
      ['-c', `ulimit -t ${MAX_CPU_SECONDS}; ulimit -d ${MAX_MEMORY_KIB}; exec "$@"`, 'sh', ...program],
      {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    )
    const forget = (): void => {
      if (child === started) child = undefined
    }
    started.once('exit', forget)
    // The process could not be started.
    started.once('error', forget)
    return started
  }

  const killProcess = async (): Promise<void> => {
    idleTimer?.cancel()
    const ending = child
    child = undefined
    if (ending?.pid === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    const exited = new Promise<void>((resolve) => ending.once('exit', () => resolve()))
    // Keeps this process alive until the child has ended.
    ending.ref()
    ending.kill('SIGKILL')
    await exited
  }

  const send = async (request: SqlRequest, timeoutMs: number): Promise<SqlReply> => {
    idleTimer?.cancel()
    if (closed) return { error: 'the telemetry file was closed' }
    child ??= startProcess()
    const reader = child
    const outcome = Promise.withResolvers<SqlReply>()
    const onEnded = (): void => outcome.resolve({ error: 'the reader process has ended' })
    const timer = clock.after(timeoutMs, () =>
      outcome.resolve({ error: `the query took longer than ${timeoutMs / 1000} s` }),
    )
    reader.ref()
    reader.channel?.ref()
    reader.once('message', outcome.resolve)
    reader.once('exit', onEnded)
    reader.once('error', onEnded)
    reader.send(request, () => {})
    const reply = await outcome.promise
    timer.cancel()
    reader.off('message', outcome.resolve)
    reader.off('exit', onEnded)
    reader.off('error', onEnded)
    reader.unref()
    reader.channel?.unref()
    if ('error' in reply && reply.error.startsWith('the query took longer')) await killProcess()
    if (!closed) idleTimer = clock.after(IDLE_TIMEOUT_MS, () => void killProcess())
    return reply
  }

  return {
    query(request: SqlRequest, timeoutMs: number): Promise<SqlReply> {
      const reply = lastReply.then(() => send(request, timeoutMs))
      lastReply = reply.catch(() => {})
      return reply
    },
    async close(): Promise<void> {
      closed = true
      await killProcess()
      await lastReply
    },
  }
}

export const createSqlReader = ({ file, clock, timeoutMs = TIMEOUT_MS }: SqlReaderOptions): SqlReader => {
  // Two processes, so that a slow query of a user does not delay internal queries.
  const internal = createReadProcess(file, clock)
  const external = createReadProcess(file, clock)
  return {
    async rows(sql, parameters) {
      const request = { sql, parameters, maxRows: Number.MAX_SAFE_INTEGER, isGuarded: false }
      const reply = await internal.query(request, INTERNAL_TIMEOUT_MS)
      if ('error' in reply)
        throw new RemediumError('tool-failed', `The telemetry file ${file} cannot be read: ${reply.error}.`)
      return reply.rows
    },
    async sql(text, parameters = [], scope) {
      const reply = await external.query(toUserRequest(text, parameters, scope), timeoutMs)
      if (!('error' in reply)) return reply
      throw failedQueryError(reply.error)
    },
    async close() {
      await Promise.all([internal.close(), external.close()])
    },
  }
}
