/** The CPU of one simulated container: its program's thread, other busy threads, and the limit of the container. */
import type { Clock, Timer } from '#kit'
import type { ContainerReading, ProgramCpu } from '#spec'
import {
  advanceCpu,
  type CpuAccount,
  type CpuSettings,
  createCpuAccount,
  PERIOD_MS,
  predictEnd,
} from './cpu-account.ts'

/** The quota that the kubelet sets for the smallest limits. */
const MIN_QUOTA_MS = 1

export interface ContainerCpuOptions {
  readonly clock: Clock
  /** In cores; 0 and undefined mean that there is no limit. */
  readonly limit?: number | undefined
}

export type CpuReading = Pick<
  ContainerReading,
  'cpuSeconds' | 'cpuPeriods' | 'cpuThrottledPeriods' | 'cpuThrottledSeconds'
>

export interface ContainerCpu extends ProgramCpu {
  /** The number of other threads of the container that are always runnable. */
  setBusyThreads(count: number): void
  /** CPU time per millisecond that each running thread gets from the node. */
  setSpeed(speed: number): void
  read(): CpuReading
  /** Drops unfinished work: its promises never settle. */
  close(): void
}

interface Work {
  readonly ms: number
  readonly done: () => void
}

const toQuota = (limit: number | undefined): number =>
  limit ? Math.max(MIN_QUOTA_MS, limit * PERIOD_MS) : Number.POSITIVE_INFINITY

export const createContainerCpu = ({ clock, limit }: ContainerCpuOptions): ContainerCpu => {
  const startedAt = clock.now()
  const account: CpuAccount = createCpuAccount()
  let settings: CpuSettings = { quotaMs: toQuota(limit), busyThreads: 0, speed: 1 }
  /** The first element is running. */
  const queue: Work[] = []
  let timer: Timer | undefined
  let isClosed = false

  const advance = (): void => advanceCpu(account, settings, clock.now() - startedAt)
  const scheduleEnd = (): void => {
    timer = clock.after(predictEnd(account, settings) - account.at, endFirst)
  }
  const endFirst = (): void => {
    advance()
    const { done } = queue.shift()!
    account.remainingMs = queue[0]?.ms ?? 0
    if (queue.length > 0) scheduleEnd()
    done()
  }
  const change = (changed: Partial<CpuSettings>): void => {
    if (isClosed) return
    advance()
    settings = { ...settings, ...changed }
    if (queue.length === 0) return
    timer?.cancel()
    scheduleEnd()
  }

  return {
    use: (ms) =>
      new Promise((resolve) => {
        if (isClosed) return
        if (!(ms > 0)) return resolve()
        queue.push({ ms, done: resolve })
        if (queue.length > 1) return
        advance()
        account.remainingMs = ms
        scheduleEnd()
      }),
    usedMs() {
      if (!isClosed) advance()
      return account.programMs
    },
    setBusyThreads: (busyThreads) => change({ busyThreads }),
    setSpeed: (speed) => change({ speed }),
    read() {
      if (!isClosed) advance()
      const hasQuota = settings.quotaMs !== Number.POSITIVE_INFINITY
      return {
        cpuSeconds: account.totalMs / 1000,
        cpuPeriods: hasQuota ? account.periods : 0,
        cpuThrottledPeriods: account.throttledPeriods,
        cpuThrottledSeconds: account.throttledMs / 1000,
      }
    },
    close() {
      if (isClosed) return
      advance()
      isClosed = true
      timer?.cancel()
      queue.length = 0
    },
  }
}
