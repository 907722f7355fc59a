/** Keeps memory stress from taking the machine along: what a node has is a promise, what the machine has is real. */
import { freemem, totalmem } from 'node:os'

/** What is left to everybody else, as a share of all. */
const KEPT = 0.1

/** What can be taken before the kernel begins to kill, in bytes. */
const spareMemory = (): number => Math.max(0, freemem() - totalmem() * KEPT)

/**
 * The bytes for each worker. Within a limit of the container that the machine can give, whatever is asked for: then
 * the kernel kills in the container, as it should. Else no more than the machine can spare.
 */
export const boundMemory = (
  { workers, bytes }: { workers: number; bytes: number },
  limit: number,
  spare = spareMemory(),
): number => (limit <= spare ? bytes : Math.min(bytes, Math.floor(spare / workers)))
