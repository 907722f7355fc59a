/** Takes a control group away, with the processes that are still in it. */
import { type Clock, sleep } from '../kit/index.ts'
import type { Cgroups } from '../linux/index.ts'

const PAUSE_MS = 5
const PATIENCE_MS = 10_000

/** Resolves when it is gone; a killed process is counted until the kernel is through with it. */
export const removeCgroup = async (cgroups: Cgroups, path: string, clock: Clock): Promise<void> => {
  const until = clock.now() + PATIENCE_MS
  while (!cgroups.remove(path)) {
    if (clock.now() > until)
      throw new Error(`the control group ${path} cannot be removed: it is still in use`)
    cgroups.kill(path)
    await sleep(clock, PAUSE_MS)
  }
}
