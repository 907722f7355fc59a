/** Formats quantities as Go's `%#v`, for messages that quote them. */
import { parseQuantity } from '#platform/kube/meta'

const EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const FORMATS = { decimal: 'DecimalSI', binary: 'BinarySI', exponent: 'DecimalExponent' } as const

/** Formats the Go struct: `resource.Quantity{i:resource.int64Amount{value:500, scale:-3}, ...}`. */
export const goQuantity = (text: string): { go: string } => {
  const quantity = parseQuantity(text)
  const format = FORMATS[quantity?.format ?? 'decimal']
  const [, digits = '0', fraction = '', suffix = ''] = /^([+-]?\d*)(?:\.(\d*))?(.*)$/.exec(text) ?? []
  const binary = quantity?.format === 'binary'
  const value = binary
    ? String(quantity.nano / 1_000_000_000n)
    : String(BigInt(`${digits}${fraction}` || '0'))
  const exponent = EXPONENTS[suffix] ?? Number(/^[eE](.+)$/.exec(suffix)?.[1] ?? 0)
  const scale = binary ? 0 : exponent - fraction.length
  return {
    go: `resource.Quantity{i:resource.int64Amount{value:${value}, scale:${scale}}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"", Format:"${format}"}`,
  }
}
