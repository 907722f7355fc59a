/** Converts Kubernetes quantities such as `100m`, `1.5` and `64Mi` to numbers. */

const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}
const PATTERN = /^(\+?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([KMGTPE]i|[numkMGTPE]?)$/
const EXPONENT = /[eE]/

/**
 * Cores or bytes, as precise as a number can be; undefined for invalid and negative quantities. The API server computes exactly, and
 * accepts a few more forms (`src/platform/kube/meta`).
 */
export const quantityValue = (quantity: unknown): number | undefined => {
  if (typeof quantity !== 'string' && typeof quantity !== 'number') return undefined
  const match = PATTERN.exec(String(quantity))
  if (match === null) return undefined
  const [, digits = '', suffix = ''] = match
  if (suffix !== '' && EXPONENT.test(digits)) return undefined
  const value = Number(digits) * (SUFFIXES[suffix] ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}
