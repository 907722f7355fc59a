/** Allocates memory that is never released. */
import { freemem } from 'node:os'

const leaked: Buffer[] = []

/** Protects the other processes on the machine if the memory limit exceeds the free memory. */
const MIN_FREE_BYTES = 512 * 1024 * 1024

/**
 * Fills the memory, because the kernel allocates pages only when they are written. Returns false if the
 * machine has no memory to spare.
 */
export const leakMemory = (kib: number): boolean => {
  if (freemem() <= MIN_FREE_BYTES) return false
  if (kib > 0) leaked.push(Buffer.alloc(Math.ceil(kib * 1024), 1))
  return true
}

/** Returns the memory limit of the container; 0 if there is none. */
export const readMemoryLimitKib = (): number => process.constrainedMemory() / 1024
