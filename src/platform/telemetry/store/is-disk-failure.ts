/** Distinguishes failures of the disk from invalid or oversized signals, which pods can send at will. */

/** Primary error codes of SQLite. Extended codes use the higher bits. */
const SQLITE_FULL = 13
/** Too big, constraint violated, type mismatch. */
const VALUE_ERRORS: readonly number[] = [18, 19, 20]
/** A disk with less free space counts as full: one batch may need as much. */
const MIN_FREE_BYTES = 16 * 2 ** 20

/** `error` is the one that aborted a batch. */
export const isDiskFailure = (error: unknown, freeBytes: () => number): boolean => {
  const { errcode } = error as { errcode?: number }
  // Node.js rejects unsupported values without an error code.
  if (errcode === undefined) return false
  const kind = errcode & 0xff
  // SQLite reports a batch above the maximum file size with the same code as a full disk.
  if (kind === SQLITE_FULL) return freeBytes() < MIN_FREE_BYTES
  return !VALUE_ERRORS.includes(kind)
}
