/** Gives a thread priority only while its CPU usage is low, so that a flood of packets does not starve the machine. */

const WINDOW_MS = 100
/** The share of one CPU above which the priority is restored. */
const MAX_SHARE = 0.5

export interface AdaptivePriorityOptions {
  /** Monotonic milliseconds. */
  now(): number
  /** The CPU time of the thread in milliseconds. */
  used(): number
  prefer(): void
  restore(): void
}

/** Raises the priority; the returned function must be called regularly to adjust it. */
export const createAdaptivePriority = ({
  now,
  used,
  prefer,
  restore,
}: AdaptivePriorityOptions): (() => void) => {
  let last = { at: now(), used: used() }
  let preferred = true
  prefer()
  return () => {
    const at = now()
    if (at - last.at < WINDOW_MS) return
    const next = { at, used: used() }
    const isUsageLow = next.used - last.used <= MAX_SHARE * (at - last.at)
    last = next
    if (isUsageLow === preferred) return
    preferred = isUsageLow
    if (isUsageLow) prefer()
    else restore()
  }
}
