/** File requests that faults delay. */
import type { Clock, Timer } from '#kit'
import type { CallEffects } from '#platform/kube/io-effects'

interface WaitingRequest {
  readonly delayedBy: readonly number[]
  readonly timer: Timer
  readonly proceed: () => void
}

export const createWaitingRequests = (clock: Clock) => {
  const waiting = new Set<WaitingRequest>()
  return {
    hold({ delayMs, delayedBy }: Pick<CallEffects, 'delayMs' | 'delayedBy'>, then: () => void): void {
      const proceed = (): void => {
        waiting.delete(request)
        then()
      }
      const request: WaitingRequest = { delayedBy, timer: clock.after(delayMs, proceed), proceed }
      waiting.add(request)
    },
    /** Resumes the requests that this fault delays. */
    release(fault: number): void {
      for (const { timer, proceed } of [...waiting].filter(({ delayedBy }) => delayedBy.includes(fault))) {
        timer.cancel()
        proceed()
      }
    },
    /** Drops all requests. */
    close(): void {
      for (const { timer } of waiting) timer.cancel()
      waiting.clear()
    },
  }
}
