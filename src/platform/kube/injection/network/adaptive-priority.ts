/**
 * Raises the priority of a thread only while its CPU usage is low, so that a flood of packets does not starve
 * the machine.
 */

const WINDOW_MS = 100
/** The share of one CPU above which the priority is restored. */
const MAX_SHARE = 0.5

export interface AdaptivePriorityOptions {
  /** The monotonic time in milliseconds. */
  now(): number
  /** The CPU time of the thread in milliseconds. */
  usedMs(): number
  raise(): void
  restore(): void
}

/** Raises the priority; the returned function must be called regularly to adjust it. */
export const createAdaptivePriority = ({
  now,
  usedMs,
  raise,
  restore,
}: AdaptivePriorityOptions): (() => void) => {
  let last = { at: now(), usedMs: usedMs() }
  let isRaised = true
  raise()
  return () => {
    const at = now()
    if (at - last.at < WINDOW_MS) return
    const next = { at, usedMs: usedMs() }
    const isUsageLow = next.usedMs - last.usedMs <= MAX_SHARE * (at - last.at)
    last = next
    if (isUsageLow === isRaised) return
    isRaised = isUsageLow
    if (isUsageLow) raise()
    else restore()
  }
}
