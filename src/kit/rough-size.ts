/** How much memory plain data takes, without asking the engine. */

const PER_VALUE = 16

/**
 * How much memory a value takes, roughly: what several share is counted for each, and names of fields are not,
 * because values of one shape share them.
 */
export const roughSize = (value: unknown): number => {
  if (typeof value === 'string') return PER_VALUE + value.length
  if (typeof value !== 'object' || value === null) return PER_VALUE
  let size = PER_VALUE
  if (Array.isArray(value)) for (const item of value) size += roughSize(item)
  else for (const key in value) size += roughSize((value as Record<string, unknown>)[key])
  return size
}
