/** Bounds memory stress by the free memory of the machine, which may be less than the memory of the simulated node. */
import { freemem, totalmem } from 'node:os'

/** The share of the machine's memory that stress must leave free. */
const RESERVED_SHARE = 0.1

/** The free memory of the machine without the reserved share, in bytes. */
const spareMemory = (): number => Math.max(0, freemem() - totalmem() * RESERVED_SHARE)

/**
 * Returns the bytes for each worker. If the spare memory covers the container's limit, the requested size is used, and
 * the kernel kills processes if it exceeds the limit. Otherwise the size is bounded by the spare memory.
 */
export const boundMemory = (
  { workers, bytes }: { workers: number; bytes: number },
  limit: number,
  spare = spareMemory(),
): number => (limit <= spare ? bytes : Math.min(bytes, Math.floor(spare / workers)))
