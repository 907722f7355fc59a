/** Validates the value of a pod selection against its mode. */
import { type FieldError, invalid } from '#platform/kube/meta'
import type { PodChoice } from './chaos-object.ts'

export const validateChoice = ({ mode, value = '' }: PodChoice, path: string): FieldError[] => {
  if (mode === 'one' || mode === 'all') return []
  const field = `${path}.value`
  if (!/^[+-]?\d+$/.test(value))
    return [invalid(field, value, `parse value field error:strconv.Atoi: parsing "${value}": invalid syntax`)]
  const number = Number(value)
  if (mode === 'fixed')
    return number > 0 ? [] : [invalid(field, value, `value must be greater than 0 with mode:${mode}`)]
  return number > 0 && number <= 100
    ? []
    : [invalid(field, value, `value of ${number} is invalid, Must be (0,100] with mode:${mode}`)]
}
