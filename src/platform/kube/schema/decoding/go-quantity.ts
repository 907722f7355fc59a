/** Decodes quantities to their canonical form, with the errors of kube-apiserver. */
import { canonicalQuantity, parseQuantity } from '#platform/kube/meta'
import { DecodeFailure } from './decode-failure.ts'

const INVALID_FORMAT =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const INVALID_SUFFIX = "unable to parse quantity's suffix"
const INVALID_NUMBER = 'unable to parse numeric part of quantity'
const ROUGH_FORMAT = /^[+-]?(\d*)(?:\.(\d*))?[eEinumkKMGTP]*[-+]?\d*$/

const explainFailure = (text: string): string => {
  const match = text === '' ? null : ROUGH_FORMAT.exec(text)
  if (match === null) return INVALID_FORMAT
  return (match[1] ?? '') + (match[2] ?? '') === '' ? INVALID_NUMBER : INVALID_SUFFIX
}

export const readGoQuantity = (value: unknown): string => {
  if (typeof value !== 'string' && typeof value !== 'number') throw new DecodeFailure(INVALID_FORMAT)
  const text = String(value).trim()
  if (parseQuantity(text) === undefined) throw new DecodeFailure(explainFailure(text))
  return canonicalQuantity(text)
}
