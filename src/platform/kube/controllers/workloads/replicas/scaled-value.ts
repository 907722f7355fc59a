/** Resolves fields of a spec that are a number or a percentage: `1`, `25%`. */

/** Resolves `value` against `total`; `rounding` applies to percentages. */
export const scaledValue = (
  value: number | string | undefined,
  total: number,
  rounding: 'up' | 'down',
): number => {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  const share = (Number.parseInt(value, 10) * total) / 100
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share)
}
