/** Resource quantities such as `500m` and `1.5Gi`: exact values that keep their notation. */

type Format = 'decimal' | 'binary' | 'exponent'

export interface Quantity {
  /** The value in billionths, the smallest unit that Kubernetes stores. */
  readonly nano: bigint
  readonly format: Format
}

const BINARY: Readonly<Record<string, bigint>> = {
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  Pi: 1n << 50n,
  Ei: 1n << 60n,
}

/** Powers of ten of the decimal suffixes, relative to a billionth. */
const DECIMAL: Readonly<Record<string, number>> = {
  n: 0,
  u: 3,
  m: 6,
  '': 9,
  k: 12,
  M: 15,
  G: 18,
  T: 21,
  P: 24,
  E: 27,
}

const PATTERN = /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+|)$/
const NANO = 10n ** 9n
/** Binary quantities are capped at 63 bits; decimal ones are not. */
const MAX_BINARY_SIZE = (2n ** 63n - 1n) * NANO
/** Longer strings and larger exponents are rejected: their exact values need too much memory and time. */
const MAX_CHARACTERS = 128
const MAX_EXPONENT = 100
/** With a smaller exponent, any text of MAX_CHARACTERS rounds up to one billionth. */
const MIN_EXPONENT = -256

/** Rounds away from zero. */
const divideUp = (value: bigint, divisor: bigint): bigint => {
  const whole = value / divisor
  if (whole * divisor === value) return whole
  return value > 0n ? whole + 1n : whole - 1n
}

const cap = (nano: bigint): bigint => {
  if (nano > MAX_BINARY_SIZE) return MAX_BINARY_SIZE
  return nano < -MAX_BINARY_SIZE ? -MAX_BINARY_SIZE : nano
}

/** The server parses a suffix without a number as zero, except for very large and very small suffixes. */
const isAllowedBareSuffix = (suffix: string): boolean =>
  suffix !== 'Pi' && suffix !== 'Ei' && !(/^[eE]/.test(suffix) && Number(suffix.slice(1)) < -9)

const parse = (text: string): Quantity | undefined => {
  const match = text.length > MAX_CHARACTERS || text === '' ? null : PATTERN.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', suffix = ''] = match
  const digits = `${whole}${fraction}`
  if (digits === '' && !isAllowedBareSuffix(suffix)) return undefined
  const value = BigInt(digits || '0') * (sign === '-' ? -1n : 1n)
  const scale = 10n ** BigInt(fraction.length)
  const binary = BINARY[suffix]
  if (binary !== undefined) return { nano: cap(divideUp(value * binary * NANO, scale)), format: 'binary' }
  const known = DECIMAL[suffix]
  const format = known === undefined ? 'exponent' : 'decimal'
  const power = known ?? 9 + Math.max(Number(suffix.slice(1)), MIN_EXPONENT)
  if (power > 9 + MAX_EXPONENT) return undefined
  return power >= 0
    ? { nano: divideUp(value * 10n ** BigInt(power), scale), format }
    : { nano: divideUp(value, scale * 10n ** BigInt(-power)), format }
}

const cache = new Map<string, Quantity>()

/** Parses a quantity. Returns undefined if it is invalid. Rounds up to billionths. */
export const parseQuantity = (text: string | number): Quantity | undefined => {
  const key = String(text)
  const known = cache.get(key)
  if (known !== undefined) return known
  const quantity = parse(key)
  if (quantity !== undefined && cache.size < 10_000) cache.set(key, quantity)
  return quantity
}

/** The value of a validated quantity; zero if it is undefined or invalid. */
export const quantityOrZero = (text: string | number | undefined): Quantity =>
  (text === undefined ? undefined : parseQuantity(text)) ?? { nano: 0n, format: 'decimal' }

/** The value in whole thousandths, rounded up: the unit of CPU arithmetic. */
export const milliValue = (text: string | number | undefined): number =>
  Number(divideUp(quantityOrZero(text).nano, 1_000_000n))

/** The value in whole units, rounded up: bytes, pods, objects. */
export const unitValue = (text: string | number | undefined): number =>
  Number(divideUp(quantityOrZero(text).nano, NANO))

export const addQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nano: a.nano + b.nano,
  format: a.nano === 0n ? b.format : a.format,
})

export const subtractQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nano: a.nano - b.nano,
  format: a.nano === 0n ? b.format : a.format,
})

export const compareQuantities = (a: string | number, b: string | number): number => {
  const [left, right] = [quantityOrZero(a).nano, quantityOrZero(b).nano]
  return left < right ? -1 : left > right ? 1 : 0
}

const DECIMAL_SUFFIXES = Object.entries(DECIMAL).sort((a, b) => b[1] - a[1])
const BINARY_SUFFIXES = Object.entries(BINARY).reverse()

const exponentText = (nano: bigint): string => {
  let [digits, exponent] = [nano, -9]
  while (digits % 1000n === 0n) [digits, exponent] = [digits / 1000n, exponent + 3]
  return exponent === 0 ? String(digits) : `${digits}e${exponent}`
}

/** Formats a quantity with the largest suffix that leaves a whole number. */
export const formatQuantity = ({ nano, format }: Quantity): string => {
  if (nano === 0n) return '0'
  const magnitude = nano < 0n ? -nano : nano
  // The smallest binary suffix is Ki: smaller values and fractions are written in decimal.
  if (format === 'binary' && magnitude % NANO === 0n && magnitude / NANO >= 1024n) {
    const found = BINARY_SUFFIXES.find(([, size]) => nano % (size * NANO) === 0n)
    return found === undefined ? String(nano / NANO) : `${nano / (found[1] * NANO)}${found[0]}`
  }
  if (format === 'exponent') return exponentText(nano)
  const [suffix, power] = DECIMAL_SUFFIXES.find(([, exponent]) => nano % 10n ** BigInt(exponent) === 0n)!
  return `${nano / 10n ** BigInt(power)}${suffix}`
}

/** Converts a quantity to the canonical form that the server stores: `1000m` becomes `1`. */
export const canonicalQuantity = (text: string | number): string => {
  const quantity = parseQuantity(text)
  return quantity === undefined ? String(text) : formatQuantity(quantity)
}

/** Like {@link canonicalQuantity}, but rounded up to thousandths, as in resource lists. */
export const canonicalAmount = (text: string | number): string => {
  const quantity = parseQuantity(text)
  if (quantity === undefined) return String(text)
  return formatQuantity({ ...quantity, nano: divideUp(quantity.nano, 1_000_000n) * 1_000_000n })
}
