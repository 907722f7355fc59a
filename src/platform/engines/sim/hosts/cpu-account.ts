/**
 * The CPU time of one container under the bandwidth limit of the Linux scheduler: within each period of 100 ms, all threads of the
 * container together may run for the quota; then they wait for the next period.
 */

export const PERIOD_MS = 100

/** Times differ by rounding errors below this. */
const EPSILON_MS = 1e-6

/** The settings that determine how fast threads run. */
export interface CpuSettings {
  /** CPU time per period; infinite without a limit. */
  readonly quotaMs: number
  /** The number of other threads that always want to run; a thread that is busy half of the time counts as 0.5. */
  readonly busyThreads: number
  /** CPU time that a running thread gets per millisecond; below 1 if the node has fewer cores than running threads. */
  readonly speed: number
}

/** Plain data, so that it can be copied. */
export interface CpuAccount {
  /** The time up to which the account is complete. */
  at: number
  periodStart: number
  usedInPeriodMs: number
  /** CPU time that the program's thread still needs; 0 if the thread waits. */
  remainingMs: number
  /** CPU time that the program's thread has used. */
  programMs: number
  /** CPU time of all threads. */
  totalMs: number
  /** The number of periods in which a thread ran. */
  periods: number
  throttledPeriods: number
  throttledMs: number
}

export const createCpuAccount = (at: number): CpuAccount => ({
  at,
  periodStart: at,
  usedInPeriodMs: 0,
  remainingMs: 0,
  programMs: 0,
  totalMs: 0,
  periods: 0,
  throttledPeriods: 0,
  throttledMs: 0,
})

/** Periods have a fixed grid, so that an idle container needs no updates. */
const startPeriodAt = (account: CpuAccount): void => {
  const passed = Math.floor((account.at - account.periodStart) / PERIOD_MS)
  if (passed <= 0) return
  account.periodStart += passed * PERIOD_MS
  account.usedInPeriodMs = 0
}

const isThrottled = (account: CpuAccount, { quotaMs }: CpuSettings): boolean =>
  account.usedInPeriodMs >= quotaMs - EPSILON_MS

/** Adds the periods in which only the other threads run, without a step for each of them. */
const addBusyPeriods = (account: CpuAccount, settings: CpuSettings, count: number): void => {
  const { quotaMs, busyThreads, speed } = settings
  const wantedMs = busyThreads * speed * PERIOD_MS
  const usedMs = Math.min(wantedMs, quotaMs)
  account.at += count * PERIOD_MS
  account.periodStart += count * PERIOD_MS
  account.totalMs += count * usedMs
  account.periods += count
  if (wantedMs <= quotaMs + EPSILON_MS) return
  account.throttledPeriods += count
  account.throttledMs += count * PERIOD_MS * (1 - usedMs / wantedMs)
}

const endPeriod = (account: CpuAccount, settings: CpuSettings): void => {
  account.periods += 1
  if (isThrottled(account, settings)) account.throttledPeriods += 1
  account.periodStart += PERIOD_MS
  account.usedInPeriodMs = 0
}

/** Runs to the next change of the rates, which is at `to` at the latest. */
const runSegment = (account: CpuAccount, settings: CpuSettings, to: number): void => {
  const { quotaMs, busyThreads, speed } = settings
  const threads = (account.remainingMs > 0 ? 1 : 0) + busyThreads
  const periodEnd = account.periodStart + PERIOD_MS
  if (isThrottled(account, settings)) {
    const end = Math.min(to, periodEnd)
    account.throttledMs += end - account.at
    account.at = end
  } else {
    const untilThrottled = (quotaMs - account.usedInPeriodMs) / (threads * speed)
    const untilDone = account.remainingMs > 0 ? account.remainingMs / speed : Number.POSITIVE_INFINITY
    const end = Math.min(to, periodEnd, account.at + untilThrottled, account.at + untilDone)
    const ranMs = (end - account.at) * speed
    account.usedInPeriodMs += ranMs * threads
    account.totalMs += ranMs * threads
    if (account.remainingMs > 0) {
      account.programMs += Math.min(ranMs, account.remainingMs)
      account.remainingMs = account.remainingMs - ranMs > EPSILON_MS ? account.remainingMs - ranMs : 0
    }
    account.at = end
  }
  if (account.at >= periodEnd - EPSILON_MS) endPeriod(account, settings)
}

/** Brings the account to the time `to`, or to the moment at which the program's thread has what it needs, if that is earlier. */
export const advanceCpu = (account: CpuAccount, settings: CpuSettings, to: number): void => {
  startPeriodAt(account)
  const wasWaiting = account.remainingMs === 0
  while (account.at < to - EPSILON_MS) {
    if (account.remainingMs === 0) {
      if (!wasWaiting) return
      if (settings.busyThreads === 0) {
        account.at = to
        return
      }
      const wholePeriods = Math.floor((to - account.at) / PERIOD_MS)
      if (account.at === account.periodStart && wholePeriods > 0) {
        addBusyPeriods(account, settings, wholePeriods)
        continue
      }
    }
    runSegment(account, settings, to)
  }
}

/** The time at which the program's thread will have what it needs, if nothing changes. */
export const predictEnd = (account: CpuAccount, settings: CpuSettings): number => {
  const future = { ...account }
  advanceCpu(future, settings, Number.POSITIVE_INFINITY)
  return future.at
}
