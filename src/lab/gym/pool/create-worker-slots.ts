/** Distributes sessions over worker processes, which are started on first use and again if they are lost. */
import type { GymWorker } from './start-gym-worker.ts'

export interface WorkerSlots {
  /** Takes a slot for one session; returns undefined if all are taken. */
  take(): WorkerSlot | undefined
  /** Waits until a slot is free, and takes it. */
  wait(): Promise<WorkerSlot>
  readonly taken: number
  readonly capacity: number
  close(): Promise<void>
}

export interface WorkerSlot {
  /** Resolves with the worker of the slot; starts another one if the last one is lost. */
  worker(): Promise<GymWorker>
  /** The worker of the last call of `worker`, unless it is lost. */
  readonly current: GymWorker | undefined
  release(): void
}

export interface WorkerSlotOptions {
  readonly workers: number
  /** The number of sessions that one worker can play at the same time. */
  readonly sessionsPerWorker: number
  start(): Promise<GymWorker>
  /** Removes what a lost worker left behind. */
  cleanUp(): Promise<unknown>
}

/** One worker process at a time. */
const createWorkerHolder = ({ start, cleanUp }: WorkerSlotOptions) => {
  let starting: Promise<GymWorker> | undefined
  let current: GymWorker | undefined
  const restart = async (): Promise<GymWorker> => {
    const lost = current
    current = undefined
    if (lost !== undefined) {
      await lost.end().catch(() => {})
      await cleanUp().catch(() => {})
    }
    current = await start()
    return current
  }
  return {
    sessions: 0,
    get current() {
      return current?.isLost === true ? undefined : current
    },
    worker(): Promise<GymWorker> {
      if (starting !== undefined && !(current?.isLost ?? false)) return starting
      const restarting = restart()
      starting = restarting
      restarting.catch(() => {
        if (starting === restarting) starting = undefined
      })
      return restarting
    },
    async end(): Promise<void> {
      const worker = await starting?.catch(() => undefined)
      await worker?.end()
    },
  }
}

export const createWorkerSlots = (options: WorkerSlotOptions): WorkerSlots => {
  const { workers, sessionsPerWorker } = options
  const holders = Array.from({ length: workers }, () => createWorkerHolder(options))
  const waiting: ((slot: WorkerSlot) => void)[] = []
  const count = (): number => holders.reduce((sum, { sessions }) => sum + sessions, 0)

  const take = (): WorkerSlot | undefined => {
    const holder = holders.toSorted((a, b) => a.sessions - b.sessions)[0]!
    if (holder.sessions >= sessionsPerWorker) return undefined
    holder.sessions += 1
    let isReleased = false
    return {
      worker: holder.worker,
      get current() {
        return holder.current
      },
      release() {
        if (isReleased) return
        isReleased = true
        holder.sessions -= 1
        const next = waiting.shift()
        if (next !== undefined) next(take()!)
      },
    }
  }
  return {
    take,
    wait: () => {
      const slot = take()
      return slot === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(slot)
    },
    get taken() {
      return count()
    },
    capacity: workers * sessionsPerWorker,
    close: async () => void (await Promise.allSettled(holders.map((holder) => holder.end()))),
  }
}
