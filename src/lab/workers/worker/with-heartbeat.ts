/** Sends heartbeats during long work, so that the parent does not treat the worker as hung. */
import { createRealClock } from '#kit'

/** More often than the parent's timeout for silent workers; models may take minutes. */
const HEARTBEAT_MS = 15_000

/** Stops after `maxMs`: work that takes longer is treated as hung. */
export const withHeartbeat = async <T>(
  sendAlive: () => void,
  maxMs: number,
  work: Promise<T>,
): Promise<T> => {
  const clock = createRealClock()
  const end = clock.now() + maxMs
  let timer = clock.after(HEARTBEAT_MS, function beat() {
    if (clock.now() > end) return
    sendAlive()
    timer = clock.after(HEARTBEAT_MS, beat)
  })
  return work.finally(() => timer.cancel())
}
