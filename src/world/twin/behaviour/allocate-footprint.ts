/** Makes a twin run out of memory if its limit is too low for the original, which uses more memory. */
import { leakMemory, readMemoryLimitKib } from './leak-memory.ts'

const STEPS_TO_LIMIT = 12
const STEP_MS = 100

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface AllocationOptions {
  /** Stops the allocation. */
  readonly signal?: AbortSignal | undefined
  /** 0 if there is no limit. */
  readonly limitKib?: () => number
  /** Returns false if the machine has no memory to spare now. */
  readonly allocate?: (kib: number) => boolean
}

/**
 * If the memory limit of the container is below `footprintMiB`, exceeds the limit within two seconds, so that
 * the kernel kills the process. Otherwise allocates nothing.
 */
export const allocateFootprint = async (
  footprintMiB: number | undefined,
  { signal, limitKib = readMemoryLimitKib, allocate = leakMemory }: AllocationOptions = {},
): Promise<void> => {
  if (footprintMiB === undefined) return
  const limit = limitKib()
  const footprint = footprintMiB * 1024
  if (limit <= 0 || limit >= footprint) return
  for (let allocated = 0; allocated < footprint && signal?.aborted !== true; ) {
    const step = Math.min(limit / STEPS_TO_LIMIT, footprint - allocated)
    if (allocate(step)) allocated += step
    await sleep(STEP_MS)
  }
}
