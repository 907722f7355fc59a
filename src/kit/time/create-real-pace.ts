/** Fires the timers of a virtual clock when real time reaches them. */
import { monotonicMs } from './monotonic-time.ts'
import { settleReactions } from './settle-reactions.ts'

/** The longest delay of a Node.js timer. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** Timers that are due are fired for at most this time before the process handles I/O again. */
const MAX_BUSY_MS = 25

export interface RealPaceOptions {
  /** The virtual time at which real time is followed from now on. */
  readonly start: number
  /** When the next task is due; undefined if there is none. */
  nextAt(): number | undefined
  /** Runs the next task. */
  runNext(): boolean
}

export interface RealPace {
  /** The virtual time. It has fractions, and never steps. */
  now(): number
  /** Called when a task was added. */
  onAdded(): void
  stop(): void
}

/** The timers keep the process alive. */
export const createRealPace = ({ start, nextAt, runNext }: RealPaceOptions): RealPace => {
  const offset = start - monotonicMs()
  const now = (): number => monotonicMs() + offset
  let isStopped = false
  let isFiring = false
  let wakeAt = Number.POSITIVE_INFINITY
  let cancel = (): void => {}

  const wake = (delayMs: number): void => {
    if (delayMs > 0) {
      const handle = setTimeout(() => void fire(), Math.min(delayMs, MAX_TIMER_MS))
      cancel = () => clearTimeout(handle)
    } else {
      const handle = setImmediate(() => void fire())
      cancel = () => clearImmediate(handle)
    }
  }

  const schedule = (): void => {
    const next = nextAt()
    if (isStopped || isFiring || next === undefined || next >= wakeAt) return
    cancel()
    wakeAt = next
    wake(next - now())
  }

  const fire = async (): Promise<void> => {
    wakeAt = Number.POSITIVE_INFINITY
    isFiring = true
    const end = now() + MAX_BUSY_MS
    try {
      while (!isStopped && (nextAt() ?? Number.POSITIVE_INFINITY) <= now() && now() < end) {
        runNext()
        // As on the clock of the operating system, reactions to a timer run before the next timer.
        await settleReactions()
      }
    } finally {
      isFiring = false
      schedule()
    }
  }

  schedule()
  return {
    now,
    onAdded: schedule,
    stop() {
      isStopped = true
      cancel()
    },
  }
}
