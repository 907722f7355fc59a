/** A limit of memory that the original does not fit into ends the twin as well, which is smaller. */
import { loseMemory, memoryLimitKib } from './lost-memory.ts'

const STEPS_TO_LIMIT = 12
const STEP_MS = 100

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface Growth {
  /** Where it is over nothing more is taken. */
  readonly signal?: AbortSignal | undefined
  /** 0 where there is none. */
  readonly limitKib?: () => number
  /** False where there is nothing to take now. */
  readonly take?: (kib: number) => boolean
}

/**
 * Where the container may have less than the original takes, takes as much as that one does, within two seconds;
 * the kernel ends the process before it has all. Everywhere else it takes nothing.
 */
export const outgrowLimit = async (
  footprintMiB: number | undefined,
  { signal, limitKib = memoryLimitKib, take = loseMemory }: Growth = {},
): Promise<void> => {
  if (footprintMiB === undefined) return
  const limit = limitKib()
  const footprint = footprintMiB * 1024
  if (limit <= 0 || limit >= footprint) return
  for (let taken = 0; taken < footprint && signal?.aborted !== true; ) {
    const step = Math.min(limit / STEPS_TO_LIMIT, footprint - taken)
    if (take(step)) taken += step
    await sleep(STEP_MS)
  }
}
