/** The users of a laboratory: a load that goes on, walks that are asked for beside it, and other loads for some problems. */
import {
  type LoadProfile,
  type OpenEntryPoint,
  RemediumError,
  type UserControl,
  type Workload,
} from '../spec/index.ts'
import { type RecordBatch, type RunningWorkload, startWorkload } from '../workload/index.ts'

export interface LabUsers extends Pick<RunningWorkload, 'setRate' | 'renewUsers'> {
  /** What faults may do to them. */
  readonly control: UserControl
  /** What they do now. */
  readonly load: LoadProfile
  /** Asks for walks beside the load, one at a time if not said; `most` counts those asked for before that are still to end. */
  walk(journey: string, most: number, atATime?: number): void
  /** Sends these away, and lets others come. */
  change(load: LoadProfile): Promise<void>
  stop(): Promise<void>
}

export interface LabUsersOptions {
  readonly workload: Workload
  readonly load: LoadProfile
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly seed: string
  onRecords(batch: RecordBatch): void
  /** They have gone without being told to. */
  onLost(error: RemediumError): void
}

const lostUsers = (cause?: unknown): RemediumError =>
  new RemediumError('defect', 'The load generator has ended in the middle of an episode.', { cause })

export const createLabUsers = async (options: LabUsersOptions): Promise<LabUsers> => {
  const { workload, entryPoints, seed } = options
  let left = new Map<string, number>()
  let orders = 0
  let running: RunningWorkload
  let { load } = options

  const start = async (): Promise<void> => {
    orders = 0
    left = new Map()
    const begun = await startWorkload({
      workload,
      load,
      entryPoints,
      seed,
      onRecords(batch) {
        if (batch.probes?.orders === orders) left = new Map(Object.entries(batch.probes.left))
        options.onRecords(batch)
      },
    })
    running = begun
    const tell = (cause?: unknown): void => {
      if (running === begun) options.onLost(lostUsers(cause))
    }
    begun.ended.then(() => tell(), tell)
  }
  const stop = async (): Promise<void> => {
    const ending = running
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
    renewUsers: () => running.renewUsers(),
    walk(journey, most, atATime) {
      const more = most - (left.get(journey) ?? 0)
      if (more <= 0) return
      orders += 1
      left.set(journey, most)
      running.walk(journey, more, atATime)
    },
    async change(other) {
      await stop()
      load = other
      await start()
    },
    stop,
  }
}
