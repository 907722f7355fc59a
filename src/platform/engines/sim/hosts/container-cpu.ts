/** The CPU of one simulated container: its program's thread, other busy threads, and the limit of the container. */
import type { Clock, Timer } from '#kit'
import type { ProgramCpu } from '#spec'
import {
  advanceCpu,
  type CpuAccount,
  type CpuSettings,
  createCpuAccount,
  PERIOD_MS,
  predictEnd,
} from './cpu-account.ts'

export interface ContainerCpuOptions {
  readonly clock: Clock
  /** In cores; unlimited by default. */
  readonly limit?: number | undefined
}

export interface CpuReading {
  readonly cpuSeconds: number
  readonly cpuPeriods: number
  readonly cpuThrottledPeriods: number
  readonly cpuThrottledSeconds: number
}

export interface ContainerCpu extends ProgramCpu {
  /** The number of other threads of the container that always want to run. */
  setBusyThreads(count: number): void
  /** CPU time per millisecond that each running thread gets from the node. */
  setSpeed(speed: number): void
  read(): CpuReading
  /** Drops the work that has not ended: its promises never settle. */
  close(): void
}

interface Work {
  readonly ms: number
  readonly done: () => void
}

export const createContainerCpu = ({ clock, limit }: ContainerCpuOptions): ContainerCpu => {
  const account: CpuAccount = createCpuAccount(clock.now())
  let settings: CpuSettings = {
    quotaMs: limit === undefined ? Number.POSITIVE_INFINITY : limit * PERIOD_MS,
    busyThreads: 0,
    speed: 1,
  }
  /** The first element is running. */
  const queue: Work[] = []
  let timer: Timer | undefined

  const schedule = (): void => {
    timer?.cancel()
    timer = queue.length === 0 ? undefined : clock.after(predictEnd(account, settings) - account.at, endFirst)
  }
  const endFirst = (): void => {
    advanceCpu(account, settings, clock.now())
    account.remainingMs = 0
    const { done } = queue.shift()!
    const next = queue[0]
    if (next !== undefined) account.remainingMs = next.ms
    schedule()
    done()
  }
  const change = (changed: Partial<CpuSettings>): void => {
    advanceCpu(account, settings, clock.now())
    settings = { ...settings, ...changed }
    schedule()
  }

  return {
    use: (ms) =>
      new Promise((resolve) => {
        if (!(ms > 0)) return resolve()
        queue.push({ ms, done: resolve })
        if (queue.length > 1) return
        advanceCpu(account, settings, clock.now())
        account.remainingMs = ms
        schedule()
      }),
    usedMs() {
      advanceCpu(account, settings, clock.now())
      return account.programMs
    },
    setBusyThreads: (busyThreads) => change({ busyThreads }),
    setSpeed: (speed) => change({ speed }),
    read() {
      advanceCpu(account, settings, clock.now())
      return {
        cpuSeconds: account.totalMs / 1000,
        cpuPeriods: account.periods,
        cpuThrottledPeriods: account.throttledPeriods,
        cpuThrottledSeconds: account.throttledMs / 1000,
      }
    },
    close() {
      timer?.cancel()
      queue.length = 0
    },
  }
}
