/** Waits for the end of a process that is not a child of this one. */

import { createRealClock, sleep } from '#kit'
import { isAlive, type ProcessIdentity } from '#machine/host'

const POLL_MS = 10

/** Resolves to whether the process ended within the timeout. */
export const waitForExit = async (identity: ProcessIdentity, timeoutMs: number): Promise<boolean> => {
  const clock = createRealClock({ keepsAlive: true })
  const deadline = clock.now() + timeoutMs
  while (isAlive(identity)) {
    if (clock.now() > deadline) return false
    await sleep(clock, POLL_MS)
  }
  return true
}
