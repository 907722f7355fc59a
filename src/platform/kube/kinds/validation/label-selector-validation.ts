/** Validates label selectors in specs. */
import type { LabelSelector, LabelSelectorRequirement } from 'kubernetes-types/meta/v1.d.ts'
import {
  type FieldError,
  forbiddenField,
  invalid,
  labelValueProblems,
  qualifiedNameProblems,
  required,
  validateLabels,
} from '#platform/kube/meta'

/** Validates the key of a label, taint or topology. */
export const validateLabelName = (key: string, field: string): FieldError[] =>
  qualifiedNameProblems(key).map((problem) => invalid(field, key, problem))

const validateRequirement = (
  { key, operator, values = [] }: LabelSelectorRequirement,
  field: string,
): FieldError[] => {
  const errors: FieldError[] = []
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        forbiddenField(
          `${field}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      )
  } else {
    errors.push(invalid(`${field}.operator`, operator ?? '', 'not a valid selector operator'))
  }
  errors.push(...validateLabelName(key ?? '', `${field}.key`))
  values.forEach((value, index) => {
    for (const problem of labelValueProblems(value)) {
      errors.push(invalid(`${field}.values[${index}]`, value, problem))
    }
  })
  return errors
}

/** Validates a selector. An undefined selector is valid. */
export const validateLabelSelector = (selector: LabelSelector | undefined, field: string): FieldError[] => [
  ...validateLabels(selector?.matchLabels, `${field}.matchLabels`),
  ...(selector?.matchExpressions ?? []).flatMap((requirement, index) =>
    validateRequirement(requirement, `${field}.matchExpressions[${index}]`),
  ),
]

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0
