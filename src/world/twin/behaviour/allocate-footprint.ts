/** Makes a twin run out of memory if its limit is too low for the original, which uses more memory. */
import type { ProgramResources } from '#spec'
import { sleep } from '#world/twin/ports'

const STEPS_TO_LIMIT = 12
const STEP_MS = 100
const BYTES_PER_MIB = 1024 * 1024

/**
 * If the memory limit of the container is below `footprintMiB`, exceeds the limit within two seconds, so that
 * the container is killed. Otherwise allocates nothing. `signal` stops the allocation.
 */
export const allocateFootprint = async (
  footprintMiB: number | undefined,
  { time, memory }: Pick<ProgramResources, 'time' | 'memory'>,
  signal?: AbortSignal,
): Promise<void> => {
  if (footprintMiB === undefined) return
  const limit = memory.limitBytes
  const footprint = footprintMiB * BYTES_PER_MIB
  if (limit <= 0 || limit >= footprint) return
  for (let allocated = 0; allocated < footprint && signal?.aborted !== true; ) {
    const step = Math.min(limit / STEPS_TO_LIMIT, footprint - allocated)
    if (memory.allocate(step) !== undefined) allocated += step
    await sleep(time, STEP_MS)
  }
}
