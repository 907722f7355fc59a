/** Decodes quantities to their canonical form, with the errors of kube-apiserver. */
import { canonicalQuantity, readQuantity } from '#platform/kube/meta'
import { DecodeFailure } from './decode-failure.ts'

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const SUFFIX = "unable to parse quantity's suffix"
const NUMERIC = 'unable to parse numeric part of quantity'
const LOOSE = /^[+-]?(\d*)(?:\.(\d*))?[eEinumkKMGTP]*[-+]?\d*$/

const explain = (text: string): string => {
  const match = text === '' ? null : LOOSE.exec(text)
  if (match === null) return FORMAT
  return (match[1] ?? '') + (match[2] ?? '') === '' ? NUMERIC : SUFFIX
}

export const readGoQuantity = (value: unknown): string => {
  if (typeof value !== 'string' && typeof value !== 'number') throw new DecodeFailure(FORMAT)
  const text = String(value).trim()
  if (readQuantity(text) === undefined) throw new DecodeFailure(explain(text))
  return canonicalQuantity(text)
}
