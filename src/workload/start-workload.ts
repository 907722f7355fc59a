/** Starts a generator in a process of its own, so that neither side slows the other. */
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRealClock } from '../kit/index.ts'
import {
  type GeneratorHealth,
  type LoadProfile,
  type OpenEntryPoint,
  RemediumError,
  type Workload,
} from '../spec/index.ts'
import { checkDoors } from './check-doors.ts'
import type { GeneratorMessage, GeneratorOrder, RecordBatch } from './generator-messages.ts'
import { type Arrival, parseArrivals } from './parse-arrivals.ts'

export interface WorkloadOptions {
  readonly workload: Workload
  /** Instead of the workload's own. */
  readonly load?: LoadProfile | undefined
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly seed: string
  /** No journey begins after this; endless where absent. */
  readonly durationMs?: number | undefined
  /** Four times a second, where there was something. */
  onRecords(batch: RecordBatch): void
  /** Every second. */
  onHealth?(health: GeneratorHealth): void
}

export interface RunningWorkload {
  readonly pid: number
  /** Resolves when all has ended, by itself or stopped; rejects where the process died. */
  readonly ended: Promise<GeneratorHealth>
  /** Walks the journey so many times, a few at a time, from now on; what comes of it is told like all else. */
  walk(journey: string, times: number, atATime?: number): void
  /** So many times as many as the load says arrive from now on. */
  setRate(factor: number): void
  /** Everybody forgets what he carries from one journey to the next: where the data behind it has gone. */
  renewUsers(): void
  /** Begins nothing more, and lets what is on its way end. The same as `ended`. */
  stop(graceMs?: number): Promise<GeneratorHealth>
}

/** As long as the most patient of users waits for one answer. */
const GRACE_MS = 15_000
/** What a process gets on top before it is ended by force. */
const FORCE_MS = 5000
const PROGRAM = join(import.meta.dirname, 'generator-process.ts')
/**
 * Its own thread comes first, those that help V8 to compile and to collect garbage do not: on a busy machine it would
 * wait for them, tens of milliseconds each time. The less garbage gathers, the shorter is each pause: with 2 MiB it is
 * about a millisecond.
 */
const FLAGS = ['--single-threaded', '--max-semi-space-size=2', '--disable-warning=ExperimentalWarning']

const readTrace = ({ workload, load = workload.load }: WorkloadOptions): Arrival[] | undefined => {
  if (load.loop !== 'open' || load.arrivals.kind !== 'replay') return undefined
  const { file } = load.arrivals
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new RemediumError('bad-file', `The trace ${file} cannot be read.`, { cause })
  }
  return parseArrivals(
    text,
    file,
    workload.journeys.map(({ name }) => name),
  )
}

const toError = ({ code, message, hint, stack }: GeneratorMessage & { kind: 'failed' }): RemediumError =>
  new RemediumError(code as 'defect', message, { hint, cause: stack })

/** Resolves when the generator has begun. */
export const startWorkload = async (options: WorkloadOptions): Promise<RunningWorkload> => {
  const { workload, load, entryPoints, seed, durationMs } = options
  checkDoors(workload, entryPoints)
  const trace = readTrace(options)
  const child: ChildProcess = fork(PROGRAM, {
    execArgv: FLAGS,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const { promise: ended, resolve, reject } = Promise.withResolvers<GeneratorHealth>()
  const { promise: ready, resolve: tellReady } = Promise.withResolvers<void>()
  const order = (given: GeneratorOrder): void => {
    if (child.connected) child.send(given, () => {})
  }
  ended.catch(() => {})

  child.on('message', (message: GeneratorMessage) => {
    if (message.kind === 'records') options.onRecords(message)
    else if (message.kind === 'health') options.onHealth?.(message.health)
    else if (message.kind === 'ended') resolve(message.health)
    else if (message.kind === 'failed') reject(toError(message))
    else tellReady()
  })
  child.on('error', reject)
  // Heard after all messages; where one of them has settled it, this changes nothing.
  child.on('close', (code, signal) => {
    const how = signal === null ? `with code ${code}` : `by ${signal}`
    reject(new RemediumError('defect', `The process of the load generator has ended ${how}.`))
  })
  await Promise.race([ready, ended])
  order({ kind: 'start', options: { workload, load, trace, entryPoints, seed, durationMs } })

  return {
    pid: child.pid!,
    ended,
    walk: (journey, times, atATime = 1) => order({ kind: 'walk', journey, times, atATime }),
    setRate: (factor) => order({ kind: 'rate', factor }),
    renewUsers: () => order({ kind: 'renew' }),
    stop(graceMs = GRACE_MS) {
      order({ kind: 'stop', graceMs })
      const force = createRealClock().after(graceMs + FORCE_MS, () => child.kill('SIGKILL'))
      return ended.finally(() => force.cancel())
    },
  }
}
