/** Starts a load generator in a separate process, so that it does not share an event loop with the caller. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { createRealClock } from '#kit'
import {
  type GeneratorHealth,
  type LoadProfile,
  type OpenEntryPoint,
  RemediumError,
  type Workload,
} from '#spec'
import { checkEntryPoints } from '../journeys/check-entry-points.ts'
import type { GeneratorCommand, GeneratorMessage, RecordBatch } from './generator-messages.ts'
import { readTrace } from './read-trace.ts'

export interface WorkloadOptions {
  readonly workload: Workload
  /** The load of the workload by default. */
  readonly load?: LoadProfile | undefined
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly seed: string
  /** No journey starts after this time; unlimited by default. */
  readonly durationMs?: number | undefined
  /** Called up to four times a second, if there are new records or active requested runs. */
  onRecords(batch: RecordBatch): void
  /** Called every second. */
  onHealth?(health: GeneratorHealth): void
}

export interface RunningWorkload {
  /** The process that runs the generator. */
  readonly pid: number
  /** Resolves when the load has ended or was stopped; rejects if the generator failed. */
  readonly ended: Promise<GeneratorHealth>
  /**
   * Runs a journey `times` times in addition to the load, `maxActive` (1 by default) at once. Results arrive as
   * records.
   */
  runJourney(journey: string, times: number, maxActive?: number): void
  /** Multiplies the arrivals of the load profile by `factor` from now on. */
  setRate(factor: number): void
  /** Drops the sessions and cookies of all users; needed after the system's data was reset. */
  resetUsers(): void
  /** Starts no more journeys and waits up to `graceMs` for the active ones. Returns `ended`. */
  stop(graceMs?: number): Promise<GeneratorHealth>
}

/** How long a stopped workload waits for active journeys; longer than the default timeout of a step. */
export const GRACE_MS = 15_000
/** Added to the grace period before the process is killed. */
const KILL_DELAY_MS = 5000
const PROGRAM = join(import.meta.dirname, 'generator-process.ts')
/**
 * Only the main thread has a raised priority. On a busy machine, waiting for V8's helper threads, which
 * compile and collect garbage, takes tens of milliseconds, so the process runs single-threaded. A young
 * generation of 2 MiB keeps each pause at about a millisecond.
 */
const FLAGS = ['--single-threaded', '--max-semi-space-size=2', '--disable-warning=ExperimentalWarning']

const toError = ({ code, message, hint, stack }: GeneratorMessage & { kind: 'failed' }): RemediumError =>
  new RemediumError(code as 'defect', message, { hint, cause: stack })

/** Resolves when the generator has started. */
export const startWorkload = async (options: WorkloadOptions): Promise<RunningWorkload> => {
  const { workload, load, entryPoints, seed, durationMs } = options
  checkEntryPoints(workload, entryPoints)
  const trace = readTrace(options)
  const child: ChildProcess = fork(PROGRAM, {
    execArgv: FLAGS,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const { promise: ended, resolve, reject } = Promise.withResolvers<GeneratorHealth>()
  const { promise: ready, resolve: setReady } = Promise.withResolvers<void>()
  const send = (message: GeneratorCommand): void => {
    if (child.connected) child.send(message, () => {})
  }
  ended.catch(() => {})

  child.on('message', (message: GeneratorMessage) => {
    if (message.kind === 'records') options.onRecords(message)
    else if (message.kind === 'health') options.onHealth?.(message.health)
    else if (message.kind === 'ended') resolve(message.health)
    else if (message.kind === 'failed') reject(toError(message))
    else setReady()
  })
  child.on('error', reject)
  // Emitted after all messages, so it has no effect if one of them has settled `ended`.
  child.on('close', (code, signal) => {
    const exit = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
    reject(new RemediumError('defect', `The load generator process ${exit}.`))
  })
  await Promise.race([ready, ended])
  send({ kind: 'start', options: { workload, load, trace, entryPoints, seed, durationMs } })

  return {
    pid: child.pid!,
    ended,
    runJourney: (journey, times, maxActive = 1) => send({ kind: 'run-journey', journey, times, maxActive }),
    setRate: (factor) => send({ kind: 'rate', factor }),
    resetUsers: () => send({ kind: 'reset-users' }),
    stop(graceMs = GRACE_MS) {
      send({ kind: 'stop', graceMs })
      const killTimer = createRealClock().after(graceMs + KILL_DELAY_MS, () => child.kill('SIGKILL'))
      return ended.finally(() => killTimer.cancel())
    },
  }
}
