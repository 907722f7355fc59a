/** The users of a laboratory: a constant load, extra journey runs on request, and other loads for some problems. */
import { type EngineCluster, type LoadProfile, RemediumError, type UserControl, type Workload } from '#spec'
import {
  type RecordBatch,
  type RunningWorkload,
  startInProcessWorkload,
  startWorkload,
  type WorkloadOptions,
} from '#world/workload'
import type { EpisodeTime } from './episode-time.ts'

export interface LabUsers extends Pick<RunningWorkload, 'setRate' | 'resetUsers'> {
  /** The interface for faults. */
  readonly control: UserControl
  readonly load: LoadProfile
  /**
   * Requests runs of a journey in addition to the load, by default one at a time. At most `max` requested runs of the journey
   * are unfinished at once, including those requested earlier.
   */
  runJourney(journey: string, max: number, parallel?: number): void
  /** Stops the current users, and starts others with this load. */
  change(load: LoadProfile): Promise<void>
  stop(): Promise<void>
}

export interface LabUsersOptions {
  readonly workload: Workload
  readonly load: LoadProfile
  readonly cluster: Pick<EngineCluster, 'entryPoints' | 'connectUser'>
  readonly time: EpisodeTime
  readonly seed: string
  onRecords(batch: RecordBatch): void
  /** The load generator ended unexpectedly. */
  onLost(error: RemediumError): void
}

/** Users of a simulated cluster run in this process; others need a separate process to start on time. */
const startUsers = async (
  { cluster: { connectUser }, time }: LabUsersOptions,
  options: WorkloadOptions,
): Promise<RunningWorkload> =>
  connectUser === undefined
    ? startWorkload(options)
    : startInProcessWorkload({ ...options, connectUser, clock: time.clock, now: time.precise })

const toLossError = (cause?: unknown): RemediumError =>
  new RemediumError('defect', 'The load generator ended during an episode.', { cause })

export const createLabUsers = async (options: LabUsersOptions): Promise<LabUsers> => {
  const { workload, cluster, seed } = options
  let unfinished = new Map<string, number>()
  let requests = 0
  let running: RunningWorkload
  let { load } = options

  const start = async (): Promise<void> => {
    requests = 0
    unfinished = new Map()
    const started = await startUsers(options, {
      workload,
      load,
      entryPoints: cluster.entryPoints,
      seed,
      onRecords(batch) {
        if (batch.probes?.requests === requests) unfinished = new Map(Object.entries(batch.probes.remaining))
        options.onRecords(batch)
      },
    })
    running = started
    const reportLoss = (cause?: unknown): void => {
      if (running === started) options.onLost(toLossError(cause))
    }
    started.ended.then(() => reportLoss(), reportLoss)
  }
  const stop = async (): Promise<void> => {
    const ending = running
    // A copy, so that the end of this workload is not reported as a loss.
    running = { ...running }
    await ending.stop(0).catch(() => {})
  }
  await start()

  return {
    get load() {
      return load
    },
    control: {
      async multiply(factor) {
        running.setRate(factor)
      },
    },
    setRate: (factor) => running.setRate(factor),
    resetUsers: () => running.resetUsers(),
    runJourney(journey, max, parallel) {
      const additional = max - (unfinished.get(journey) ?? 0)
      if (additional <= 0) return
      requests += 1
      unfinished.set(journey, max)
      running.runJourney(journey, additional, parallel)
    },
    async change(newLoad) {
      await stop()
      load = newLoad
      await start()
    },
    stop,
  }
}
