/** Waits for the end of a process that is none of this one's children. */
import { isAlive, type ProcessIdentity } from '../../engines/local/machine/index.ts'
import { createRealClock, sleep } from '../../kit/index.ts'

const PAUSE_MS = 10

/** Whether it has ended within the time. */
export const untilEnded = async (identity: ProcessIdentity, timeoutMs: number): Promise<boolean> => {
  const clock = createRealClock({ keepsAlive: true })
  const deadline = clock.now() + timeoutMs
  while (isAlive(identity)) {
    if (clock.now() > deadline) return false
    await sleep(clock, PAUSE_MS)
  }
  return true
}
