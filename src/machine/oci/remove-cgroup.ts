/** Removes a control group and kills the processes in it. */
import { type Clock, sleep } from '#kit'
import type { Cgroups } from '#machine/linux'

const POLL_MS = 5
const TIMEOUT_MS = 10_000

/** Resolves when it is removed. A killed process stays in the group until the kernel has released it. */
export const removeCgroup = async (cgroups: Cgroups, path: string, clock: Clock): Promise<void> => {
  const deadline = clock.now() + TIMEOUT_MS
  while (!cgroups.remove(path)) {
    if (clock.now() > deadline)
      throw new Error(`the control group ${path} cannot be removed: it is still in use`)
    cgroups.kill(path)
    await sleep(clock, POLL_MS)
  }
}
