/** Lets a thread come before all others only as long as it needs little: a flood of packets must not starve a machine. */

const WINDOW_MS = 100
/** Of one processor. Beyond, it waits for its turn like everybody else. */
const MOST_SHARE = 0.5

export interface ModestPriorityOptions {
  /** Milliseconds that pass evenly. */
  now(): number
  /** Milliseconds of a processor's time that the thread has used. */
  used(): number
  prefer(): void
  treatAsOthers(): void
}

/** Prefers the thread, and gives what it must call again and again: it looks once in a while. */
export const createModestPriority = ({
  now,
  used,
  prefer,
  treatAsOthers,
}: ModestPriorityOptions): (() => void) => {
  let last = { at: now(), used: used() }
  let preferred = true
  prefer()
  return () => {
    const at = now()
    if (at - last.at < WINDOW_MS) return
    const next = { at, used: used() }
    const deserves = next.used - last.used <= MOST_SHARE * (at - last.at)
    last = next
    if (deserves === preferred) return
    preferred = deserves
    if (deserves) prefer()
    else treatAsOthers()
  }
}
