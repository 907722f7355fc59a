/** Resource quantities such as `500m` and `1.5Gi`: exact values that print the way they were written. */

type Format = 'decimal' | 'binary' | 'exponent'

export interface Quantity {
  /** Value in billionths, which is the finest step Kubernetes keeps. */
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
/** Beyond these an exact value would need megabytes and minutes. */
const LONGEST = 128
const LARGEST_EXPONENT = 60

const divideUp = (value: bigint, by: bigint): bigint => {
  const whole = value / by
  if (whole * by === value) return whole
  return value > 0n ? whole + 1n : whole - 1n
}

const cache = new Map<string, Quantity>()

/** Reads a quantity, or gives undefined when it is not one. Finer steps than a billionth round up. */
export const readQuantity = (text: string | number): Quantity | undefined => {
  const key = String(text)
  const known = cache.get(key)
  if (known !== undefined) return known
  const match = PATTERN.exec(key)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', suffix = ''] = match
  if (whole === '' && fraction === '') return undefined
  if (key.length > LONGEST || Math.abs(Number(/^[eE](.+)$/.exec(suffix)?.[1] ?? 0)) > LARGEST_EXPONENT)
    return undefined
  const digits = BigInt(`${whole}${fraction}` || '0') * (sign === '-' ? -1n : 1n)
  const scale = 10n ** BigInt(fraction.length)
  let quantity: Quantity
  const binary = BINARY[suffix]
  if (binary !== undefined) {
    quantity = { nano: divideUp(digits * binary * NANO, scale), format: 'binary' }
  } else {
    const exponent = DECIMAL[suffix]
    const power = exponent ?? 9 + Number(suffix.slice(1))
    const value = power >= 0 ? digits * 10n ** BigInt(power) : divideUp(digits, 10n ** BigInt(-power))
    quantity = { nano: divideUp(value, scale), format: exponent === undefined ? 'exponent' : 'decimal' }
  }
  if (cache.size < 10_000) cache.set(key, quantity)
  return quantity
}

/** Reads a quantity that validation has let through; absent ones count as zero. */
export const parseQuantity = (text: string | number | undefined): Quantity =>
  (text === undefined ? undefined : readQuantity(text)) ?? { nano: 0n, format: 'decimal' }

/** Whole thousandths, rounded up: the unit of CPU arithmetic. */
export const milliValue = (text: string | number | undefined): number =>
  Number(divideUp(parseQuantity(text).nano, 1_000_000n))

/** Whole units, rounded up: bytes, pods, objects. */
export const unitValue = (text: string | number | undefined): number =>
  Number(divideUp(parseQuantity(text).nano, NANO))

export const addQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nano: a.nano + b.nano,
  format: a.nano === 0n ? b.format : a.format,
})

export const subtractQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nano: a.nano - b.nano,
  format: a.nano === 0n ? b.format : a.format,
})

export const compareQuantities = (a: string | number, b: string | number): number => {
  const [left, right] = [parseQuantity(a).nano, parseQuantity(b).nano]
  return left < right ? -1 : left > right ? 1 : 0
}

const DECIMAL_SUFFIXES = Object.entries(DECIMAL).sort((a, b) => b[1] - a[1])
const BINARY_SUFFIXES = Object.entries(BINARY).reverse()

/** The canonical text: the largest suffix that leaves a whole number. */
export const formatQuantity = ({ nano, format }: Quantity): string => {
  if (nano === 0n) return '0'
  const magnitude = nano < 0n ? -nano : nano
  // Binary suffixes stand for whole kibibytes and more: what is smaller is written in decimal.
  if (format === 'binary' && magnitude % NANO === 0n && magnitude / NANO >= 1024n) {
    for (const [suffix, size] of BINARY_SUFFIXES) {
      if (nano % (size * NANO) === 0n) return `${nano / (size * NANO)}${suffix}`
    }
    return String(nano / NANO)
  }
  for (const [suffix, power] of DECIMAL_SUFFIXES) {
    const size = 10n ** BigInt(power)
    if (nano % size !== 0n) continue
    if (format !== 'exponent' || suffix === '') return `${nano / size}${suffix}`
    return `${nano / size}e${power - 9}`
  }
  return `${nano}n`
}

/** `1000m` becomes `1`: what the server stores for a quantity that a client wrote in its own way. */
export const canonicalQuantity = (text: string | number): string => {
  const quantity = readQuantity(text)
  return quantity === undefined ? String(text) : formatQuantity(quantity)
}
