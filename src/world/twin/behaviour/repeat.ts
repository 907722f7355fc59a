/** Repeats work at intervals of a host's clock. */
import type { ProgramTime } from '#spec'

/**
 * Starts `work` after `firstMs`, and then every `everyMs`, or when the previous run ends if that takes longer. The work
 * must not reject. Returns a function that stops the repetition.
 */
export const repeat = (
  time: ProgramTime,
  firstMs: number,
  everyMs: number,
  work: () => Promise<void>,
): (() => void) => {
  let isStopped = false
  const run = async (): Promise<void> => {
    const startedAt = time.monotonic()
    await work()
    if (isStopped) return
    const elapsedMs = time.monotonic() - startedAt
    cancel = time.after(Math.max(0, everyMs - elapsedMs), () => void run())
  }
  let cancel = time.after(firstMs, () => void run())
  return () => {
    isStopped = true
    cancel()
  }
}
