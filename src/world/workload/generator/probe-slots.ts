/** Limits how many requested journey runs are active at once. */
import type { Clock } from '#kit'

export interface ProbeSlots {
  /**
   * Waits, in the order of the calls, until fewer than `maxActive` slots are taken, and takes one. The
   * returned function releases it. A slot is also released after `SLOT_TIMEOUT_MS`, so that a hanging run
   * does not block the others.
   */
  acquire(maxActive: number): Promise<() => void>
}

const SLOT_TIMEOUT_MS = 500

export const createProbeSlots = (clock: Clock): ProbeSlots => {
  const queue: { readonly maxActive: number; start(): void }[] = []
  let taken = 0
  const startNext = (): void => {
    while (queue.length > 0 && taken < queue[0]!.maxActive) {
      taken += 1
      queue.shift()!.start()
    }
  }
  return {
    async acquire(maxActive) {
      await new Promise<void>((start) => {
        queue.push({ maxActive, start })
        startNext()
      })
      let isTaken = true
      const release = (): void => {
        if (!isTaken) return
        isTaken = false
        taken -= 1
        startNext()
      }
      const timer = clock.after(SLOT_TIMEOUT_MS, release)
      return () => {
        timer.cancel()
        release()
      }
    },
  }
}
