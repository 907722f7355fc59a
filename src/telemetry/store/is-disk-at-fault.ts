/** Tells what a disk refused from what no file would have taken: whoever is in a pod may send what he likes, and as much. */

/** SQLite's numbers; what it knows more closely is in the bits above. */
const FULL = 13
/** Of values: too big, against a rule of their table, of another type. */
const OF_VALUES: readonly number[] = [18, 19, 20]
/** A disk with less room has none: one batch may want as much. */
const LEAST_FREE_BYTES = 16 * 2 ** 20

/** Of what ended the writing of a batch. */
export const isDiskAtFault = (error: unknown, freeBytes: () => number): boolean => {
  const { errcode } = error as { errcode?: number }
  // What cannot be a value at all is refused before SQLite sees it.
  if (errcode === undefined) return false
  const kind = errcode & 0xff
  // A batch beyond the bound of the file is refused in the same words as one for which the disk has no room.
  if (kind === FULL) return freeBytes() < LEAST_FREE_BYTES
  return !OF_VALUES.includes(kind)
}
