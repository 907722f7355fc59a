/** What a quantity of resources as Kubernetes writes them is worth: `100m`, `1.5`, `64Mi`. */

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
 * Cores, or bytes, as near as a number comes to it; undefined for what is none, and for those below zero. The API server reckons
 * exactly, and takes a few more for quantities (`src/kube/meta`).
 */
export const quantityValue = (written: unknown): number | undefined => {
  if (typeof written !== 'string' && typeof written !== 'number') return undefined
  const match = PATTERN.exec(String(written))
  if (match === null) return undefined
  const [, digits = '', suffix = ''] = match
  if (suffix !== '' && EXPONENT.test(digits)) return undefined
  const value = Number(digits) * (SUFFIXES[suffix] ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}
