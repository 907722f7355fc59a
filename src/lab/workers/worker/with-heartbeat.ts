/** Sends heartbeats during long work, so that the parent does not treat the worker as hung. */
import { createRealClock } from '#kit'

/** Well below the silence timeout of the parent; model calls can take minutes. */
const HEARTBEAT_MS = 15_000

/** Stops sending after `maxMs`, so that longer work is treated as hung. */
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
