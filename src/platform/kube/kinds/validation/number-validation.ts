/** Validates counts and percentages. */
import { type FieldError, invalid } from '#platform/kube/meta'
import { goIntOrString } from './go-text.ts'

export const validateNonnegative = (value: number | undefined, field: string): FieldError[] =>
  value !== undefined && value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : []

const PERCENT = /^[0-9]+%$/
const PERCENT_TEXT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

/** Validates a count such as 2, or a percentage such as `25%`. */
export const validateCountOrPercent = (value: number | string | undefined, field: string): FieldError[] => {
  if (typeof value !== 'string') return validateNonnegative(value, field)
  return PERCENT.test(value) ? [] : [invalid(field, goIntOrString(value), PERCENT_TEXT)]
}

export const validateAtMost100Percent = (value: number | string | undefined, field: string): FieldError[] =>
  typeof value === 'string' && PERCENT.test(value) && Number.parseInt(value, 10) > 100
    ? [invalid(field, goIntOrString(value), 'must not be greater than 100%')]
    : []

export const isZeroCount = (value: number | string | undefined): boolean =>
  value === undefined || Number.parseInt(String(value), 10) === 0
