/** Numbers that a spec gives as they are or as a share: `1`, `25%`. */

/** The number meant by `value` of `total`; shares are rounded as told. */
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
