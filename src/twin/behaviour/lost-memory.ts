/** Memory that a process takes and never gives back. */
import { freemem } from 'node:os'

/** Never given back. */
const lost: Buffer[] = []

/** What is left to the machine, which others need: where the limit is more than there is, nothing more is taken. */
const SPARED_BYTES = 512 * 1024 * 1024

/** Written to, because memory that nobody has written to is none. False where the machine has none to spare. */
export const loseMemory = (kib: number): boolean => {
  if (freemem() <= SPARED_BYTES) return false
  if (kib > 0) lost.push(Buffer.alloc(Math.ceil(kib * 1024), 1))
  return true
}

/** Of the container; 0 where there is none. */
export const memoryLimitKib = (): number => process.constrainedMemory() / 1024
