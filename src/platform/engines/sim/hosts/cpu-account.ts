/**
 * The CPU time of one container under the bandwidth limit of the Linux scheduler: within each period of 100 ms, all threads of the
 * container together may run for the quota; then they wait for the next period.
 */

export const PERIOD_MS = 100

/** An upper bound of rounding errors in times. */
const EPSILON_MS = 1e-6

/** The settings that determine how fast threads run. */
export interface CpuSettings {
  /** CPU time per period; infinite without a limit. */
  readonly quotaMs: number
  /** The number of other threads that are always runnable; a thread that is busy half of the time counts as 0.5. */
  readonly busyThreads: number
  /** CPU time that a running thread receives per millisecond; below 1 if the node has fewer cores than running threads. */
  readonly speed: number
}

/** Plain data, so that it can be copied. */
export interface CpuAccount {
  /**
   * The time up to which the account is complete, in milliseconds since its start: milliseconds since the epoch would have
   * rounding errors far above `EPSILON_MS`.
   */
  at: number
  periodStart: number
  usedInPeriodMs: number
  /** Whether a thread has waited for the quota in this period. */
  hasWaited: boolean
  /** CPU time that the program's thread still needs; 0 if the thread waits. */
  remainingMs: number
  /** CPU time that the program's thread has used. */
  programMs: number
  /** CPU time of all threads. */
  totalMs: number
  /** The number of completed periods in which a thread ran. */
  periods: number
  throttledPeriods: number
  throttledMs: number
}

export const createCpuAccount = (): CpuAccount => ({
  at: 0,
  periodStart: 0,
  usedInPeriodMs: 0,
  hasWaited: false,
  remainingMs: 0,
  programMs: 0,
  totalMs: 0,
  periods: 0,
  throttledPeriods: 0,
  throttledMs: 0,
})

const countThreads = ({ remainingMs }: CpuAccount, { busyThreads }: CpuSettings): number =>
  remainingMs > 0 ? busyThreads + 1 : busyThreads

const isThrottled = ({ usedInPeriodMs }: CpuAccount, { quotaMs }: CpuSettings): boolean =>
  usedInPeriodMs >= quotaMs - EPSILON_MS

const endPeriod = (account: CpuAccount): void => {
  if (account.usedInPeriodMs > 0) account.periods += 1
  if (account.hasWaited) account.throttledPeriods += 1
  account.usedInPeriodMs = 0
  account.hasWaited = false
}

/** Advances over time in which no thread runs. Periods start at fixed times, so that an idle container needs no updates. */
const passIdleTime = (account: CpuAccount, to: number): void => {
  account.at = to
  const passed = Math.floor((to - account.periodStart) / PERIOD_MS)
  if (passed <= 0) return
  endPeriod(account)
  account.periodStart += passed * PERIOD_MS
}

/** Adds all whole periods up to `to` in which the same threads run, in one step. Returns whether there are any. */
const addWholePeriods = (account: CpuAccount, settings: CpuSettings, to: number): boolean => {
  const { quotaMs, speed } = settings
  const threads = countThreads(account, settings)
  const wantedMs = threads * speed * PERIOD_MS
  const usedMs = Math.min(wantedMs, quotaMs)
  const threadMs = usedMs / threads
  const isRunning = account.remainingMs > 0
  const needed = isRunning
    ? Math.ceil((account.remainingMs - EPSILON_MS) / threadMs) - 1
    : Number.POSITIVE_INFINITY
  const count = Math.min(Math.floor((to - account.at) / PERIOD_MS), needed)
  if (count <= 0) return false
  account.periodStart += count * PERIOD_MS
  account.at = account.periodStart
  account.totalMs += count * usedMs
  account.periods += count
  if (isRunning) {
    account.programMs += count * threadMs
    account.remainingMs -= count * threadMs
  }
  if (wantedMs > quotaMs + EPSILON_MS) {
    account.throttledPeriods += count
    account.throttledMs += count * PERIOD_MS * (1 - usedMs / wantedMs)
  }
  return true
}

/** Advances to the next change of the rates, but not beyond `to`. */
const runSegment = (account: CpuAccount, settings: CpuSettings, to: number): void => {
  const { quotaMs, speed } = settings
  const threads = countThreads(account, settings)
  const periodEnd = account.periodStart + PERIOD_MS
  if (isThrottled(account, settings)) {
    const end = Math.min(to, periodEnd)
    if (end - account.at > EPSILON_MS) account.hasWaited = true
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
  if (account.at < periodEnd - EPSILON_MS) return
  endPeriod(account)
  account.periodStart = periodEnd
  account.at = periodEnd
}

/** Advances the account to the time `to`, or to the earlier moment at which the program's thread has received the time it needs. */
export const advanceCpu = (account: CpuAccount, settings: CpuSettings, to: number): void => {
  const wasRunning = account.remainingMs > 0
  while (account.at < to - EPSILON_MS) {
    if (wasRunning && account.remainingMs === 0) return
    if (countThreads(account, settings) === 0) passIdleTime(account, to)
    else if (account.at !== account.periodStart || !addWholePeriods(account, settings, to))
      runSegment(account, settings, to)
  }
}

/** The time at which the program's thread will have received the CPU time that it needs, if nothing changes. */
export const predictEnd = (account: CpuAccount, settings: CpuSettings): number => {
  const { at, remainingMs, usedInPeriodMs, periodStart } = account
  const end = at + remainingMs / settings.speed
  const usedMs = usedInPeriodMs + remainingMs * countThreads(account, settings)
  const isWithinPeriod = end <= periodStart + PERIOD_MS && usedMs <= settings.quotaMs
  if (remainingMs === 0 || isWithinPeriod || settings.quotaMs === Number.POSITIVE_INFINITY) return end
  const future = { ...account }
  advanceCpu(future, settings, Number.POSITIVE_INFINITY)
  return future.at
}
