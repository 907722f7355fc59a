/** Floats as decimal text: Python's shortest form, and exact rounding to a number of digits. */

/** `repr` of a float. JavaScript finds the same digits, but uses exponents in other cases. */
export const floatText = (value: number): string => {
  if (Object.is(value, -0)) return '-0.0'
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string]
  const exponent = Number(exponentText)
  const digits = mantissa.replace(/[-.]/g, '')
  const sign = value < 0 ? '-' : ''
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    const size = String(Math.abs(exponent)).padStart(2, '0')
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${size}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}

/** The exact value of a float: `mantissa * 2 ** exponent`. */
const decompose = (value: number): [mantissa: bigint, exponent: number] => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, Math.abs(value))
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  return exponent === 0 ? [fraction, -1074] : [fraction | 0x10000000000000n, exponent - 1075]
}

/** `numerator / denominator`, rounded to the nearest whole number, and to the even one in a tie. */
const divideRounded = (numerator: bigint, denominator: bigint): bigint => {
  const quotient = numerator / denominator
  const twice = 2n * (numerator % denominator)
  if (twice > denominator || (twice === denominator && quotient % 2n === 1n)) return quotient + 1n
  return quotient
}

/** `abs(value) * 10 ** digits` as a whole number; `digits` may be negative. Ties go to the even number, as in C and Python. */
export const scaleRounded = (value: number, digits: number): bigint => {
  const [mantissa, exponent] = decompose(value)
  let [numerator, denominator] = [mantissa, 1n]
  if (exponent >= 0) numerator <<= BigInt(exponent)
  else denominator <<= BigInt(-exponent)
  if (digits >= 0) numerator *= 10n ** BigInt(digits)
  else denominator *= 10n ** BigInt(-digits)
  return divideRounded(numerator, denominator)
}

const isNegative = (value: number): boolean => value < 0 || Object.is(value, -0)

/** `'%.2f' % value`. */
export const fixedText = (value: number, digits: number): string => {
  const scaled = scaleRounded(value, digits)
    .toString()
    .padStart(digits + 1, '0')
  const whole = scaled.slice(0, scaled.length - digits)
  const text = digits === 0 ? whole : `${whole}.${scaled.slice(scaled.length - digits)}`
  return isNegative(value) ? `-${text}` : text
}

/** `round(value, digits)` of a float. */
export const roundFloat = (value: number, digits: number): number => {
  if (digits > 330) return value
  if (digits < -330) return isNegative(value) ? -0 : 0
  const scaled = scaleRounded(value, digits)
  const rounded = digits >= 0 ? Number(`${scaled}e-${digits}`) : Number(`${scaled}e${-digits}`)
  return isNegative(value) ? -rounded : rounded
}

/** `'%.2e' % value`: `digits` after the point. */
export const exponentText = (value: number, digits: number): string => {
  const sign = isNegative(value) ? '-' : ''
  const parts = (mantissa: string, exponent: number): string => {
    const fraction = digits === 0 ? '' : `.${mantissa.slice(1)}`
    const size = String(Math.abs(exponent)).padStart(2, '0')
    return `${sign}${mantissa[0]}${fraction}e${exponent < 0 ? '-' : '+'}${size}`
  }
  if (value === 0) return parts('0'.repeat(digits + 1), 0)
  let exponent = Number(value.toExponential().split('e')[1])
  let mantissa = scaleRounded(value, digits - exponent).toString()
  if (mantissa.length > digits + 1) {
    exponent += 1
    mantissa = scaleRounded(value, digits - exponent).toString()
  }
  return parts(mantissa, exponent)
}

/** `'%.6g' % value`: `precision` significant digits. */
export const generalText = (value: number, precision: number, keepsZeros: boolean): string => {
  const digits = precision === 0 ? 1 : precision
  const scientific = exponentText(value, digits - 1)
  const exponent = Number(scientific.split('e')[1])
  const isFixed = exponent >= -4 && exponent < digits
  const text = isFixed ? fixedText(value, digits - 1 - exponent) : scientific
  if (keepsZeros) return text
  return isFixed ? text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') : text.replace(/\.?0*e/, 'e')
}
