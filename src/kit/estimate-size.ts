/** Estimates how much memory plain data takes. */

const BYTES_PER_VALUE = 16

/**
 * Returns a rough estimate in bytes. A part that is referenced several times counts each time. Property
 * names do not count, because objects of one shape share them.
 */
export const estimateSize = (value: unknown): number => {
  if (typeof value === 'string') return BYTES_PER_VALUE + value.length
  if (typeof value !== 'object' || value === null) return BYTES_PER_VALUE
  let size = BYTES_PER_VALUE
  if (Array.isArray(value)) for (const item of value) size += estimateSize(item)
  else for (const key in value) size += estimateSize((value as Record<string, unknown>)[key])
  return size
}
