/** Asks a process of its own for what lies in a telemetry file, and ends it where a query does not end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Clock, Timer } from '../../kit/index.ts'
import { RemediumError, type SqlAnswer } from '../../spec/index.ts'
import type { SqlParameter, SqlReply, SqlRequest, SqlRow } from './sql-request.ts'

const PROGRAM = join(import.meta.dirname, 'read-process.ts')
const MOST_ROWS = 10_000
const LIMIT_MS = 10_000
/** Our own queries are bounded by what they ask for. */
const OWN_LIMIT_MS = 60_000
const IDLE_MS = 20_000
/** Seconds of CPU after which the kernel ends it: nobody else would, had this process been killed. */
const MOST_CPU_SECONDS = 600
/** Of memory, in KiB: more than any question of ours takes. */
const MOST_MEMORY = 1.5 * 2 ** 20

export interface SqlReader {
  /** Of queries that this room makes: all rows. */
  rows(sql: string, parameters: readonly SqlParameter[]): Promise<readonly SqlRow[]>
  /** Of queries that users write; with `since` of those who are to know nothing of earlier times, nor of the laboratory. */
  sql(text: string, parameters?: readonly SqlParameter[], scope?: { since: number }): Promise<SqlAnswer>
  close(): Promise<void>
}

export interface SqlReaderOptions {
  file: string
  clock: Clock
  /** Of users' queries; 10 s where absent. */
  limitMs?: number
}

/** One process, started when it is needed, asked one thing at a time. */
const createReadProcess = (file: string, clock: Clock) => {
  let child: ChildProcess | undefined
  let idle: Timer | undefined
  let last: Promise<unknown> = Promise.resolve()
  let closed = false

  const start = (): ChildProcess => {
    const program = [process.execPath, '--max-old-space-size=1024', PROGRAM, file]
    const started = spawn(
      'sh',
      ['-c', `ulimit -t ${MOST_CPU_SECONDS}; ulimit -d ${MOST_MEMORY}; exec "$@"`, 'sh', ...program],
      {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    )
    const forget = (): void => {
      if (child === started) child = undefined
    }
    started.once('exit', forget)
    // Not even started, for want of processes or memory.
    started.once('error', forget)
    return started
  }

  const end = async (): Promise<void> => {
    idle?.cancel()
    const ending = child
    child = undefined
    if (ending?.pid === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    const gone = new Promise<void>((resolve) => ending.once('exit', () => resolve()))
    // Until then this process must not end either.
    ending.ref()
    ending.kill('SIGKILL')
    await gone
  }

  const ask = async (request: SqlRequest, limitMs: number): Promise<SqlReply> => {
    idle?.cancel()
    if (closed) return { error: 'it was closed' }
    child ??= start()
    const asked = child
    const outcome = Promise.withResolvers<SqlReply>()
    const lost = (): void => outcome.resolve({ error: 'the process that reads it has ended' })
    const tooLong = clock.after(limitMs, () =>
      outcome.resolve({ error: `it took longer than ${limitMs / 1000} s` }),
    )
    asked.ref()
    asked.channel?.ref()
    asked.once('message', outcome.resolve)
    asked.once('exit', lost)
    asked.once('error', lost)
    asked.send(request, () => {})
    const reply = await outcome.promise
    tooLong.cancel()
    asked.off('message', outcome.resolve)
    asked.off('exit', lost)
    asked.off('error', lost)
    asked.unref()
    asked.channel?.unref()
    if ('error' in reply && reply.error.startsWith('it took longer')) await end()
    if (!closed) idle = clock.after(IDLE_MS, () => void end())
    return reply
  }

  return {
    ask(request: SqlRequest, limitMs: number): Promise<SqlReply> {
      const answer = last.then(() => ask(request, limitMs))
      last = answer.catch(() => {})
      return answer
    },
    async close(): Promise<void> {
      closed = true
      await end()
      await last
    },
  }
}

export const createSqlReader = ({ file, clock, limitMs = LIMIT_MS }: SqlReaderOptions): SqlReader => {
  // A user whose query takes its time keeps nobody but himself waiting.
  const own = createReadProcess(file, clock)
  const theirs = createReadProcess(file, clock)
  return {
    async rows(sql, parameters) {
      const request = { sql, parameters, mostRows: Number.MAX_SAFE_INTEGER, guarded: false }
      const reply = await own.ask(request, OWN_LIMIT_MS)
      if ('error' in reply)
        throw new RemediumError('tool-failed', `The telemetry file ${file} cannot be read: ${reply.error}.`)
      return reply.rows
    },
    async sql(text, parameters = [], scope) {
      const since = scope === undefined ? {} : { since: scope.since }
      const request = { sql: text, parameters, mostRows: MOST_ROWS, guarded: true, ...since }
      const reply = await theirs.ask(request, limitMs)
      if (!('error' in reply)) return reply
      throw new RemediumError('bad-argument', `The query cannot be answered: ${reply.error}.`, {
        hint: 'Telemetry can only be read; docs/telemetry.md lists the tables.',
      })
    },
    async close() {
      await Promise.all([own.close(), theirs.close()])
    },
  }
}
