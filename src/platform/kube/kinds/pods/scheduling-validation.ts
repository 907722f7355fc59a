/** Validates tolerations, topology spread constraints and scheduling gates. */
import type { PodSchedulingGate, Toleration, TopologySpreadConstraint } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  labelValueProblems,
  notSupported,
  required,
} from '#platform/kube/meta'
import { validateLabelName, validateLabelSelector } from '../validation/label-selector-validation.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

const validateToleration = (toleration: Toleration, path: string): FieldError[] => {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration
  const errors: FieldError[] = key === '' ? [] : validateLabelName(key, `${path}.key`)
  if (key === '' && operator !== 'Exists')
    errors.push(
      invalid(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    )
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    errors.push(
      invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
    )
  if (operator === 'Equal' || operator === '') {
    const problems = labelValueProblems(value)
    if (problems.length > 0) errors.push(invalid(`${path}.operator`, value, problems.join(';')))
  } else if (operator !== 'Exists')
    errors.push(notSupported(`${path}.operator`, operator, ['Equal', 'Exists']))
  else if (value !== '')
    errors.push(invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"))
  if (effect !== '' && !EFFECTS.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, EFFECTS))
  return errors
}

export const validateTolerations = (tolerations: readonly Toleration[], field: string): FieldError[] =>
  tolerations.flatMap((toleration, index) => validateToleration(toleration, `${field}[${index}]`))

/** Allows only new tolerations and changes of `tolerationSeconds`. */
export const validateAddedTolerations = (
  updated: readonly Toleration[],
  old: readonly Toleration[],
  field: string,
): FieldError[] => {
  const areAllKept = old.every((toleration) =>
    updated.some((candidate) =>
      deepEqual({ ...candidate, tolerationSeconds: 0 }, { ...toleration, tolerationSeconds: 0 }),
    ),
  )
  return areAllKept
    ? validateTolerations(updated, field)
    : [forbiddenField(field, 'existing toleration can not be modified except its tolerationSeconds')]
}

export const validateSpreading = (
  constraints: readonly TopologySpreadConstraint[],
  field: string,
): FieldError[] => {
  const seen = new Set<string>()
  return constraints.flatMap((constraint, index) => {
    const path = `${field}[${index}]`
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', minDomains, labelSelector } = constraint
    const errors: FieldError[] = []
    if (maxSkew <= 0) errors.push(invalid(`${path}.maxSkew`, maxSkew, 'must be greater than zero'))
    if (topologyKey === '') errors.push(required(`${path}.topologyKey`, 'can not be empty'))
    else errors.push(...validateLabelName(topologyKey, `${path}.topologyKey`))
    if (!['DoNotSchedule', 'ScheduleAnyway'].includes(whenUnsatisfiable))
      errors.push(
        notSupported(`${path}.whenUnsatisfiable`, whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']),
      )
    const pair = `{${topologyKey}, ${whenUnsatisfiable}}`
    if (seen.has(pair)) errors.push(duplicate(`${path}.{topologyKey, whenUnsatisfiable}`, pair))
    seen.add(pair)
    if (minDomains !== undefined && minDomains <= 0)
      errors.push(invalid(`${path}.minDomains`, minDomains, 'must be greater than zero'))
    if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule')
      errors.push(
        invalid(
          `${path}.minDomains`,
          minDomains,
          `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
        ),
      )
    return [...errors, ...validateLabelSelector(labelSelector, `${path}.labelSelector`)]
  })
}

export const validateGates = (gates: readonly PodSchedulingGate[], field: string): FieldError[] => {
  const seen = new Set<string>()
  return gates.flatMap(({ name = '' }, index) => {
    const path = `${field}[${index}]`
    const repeated = seen.has(name) ? [duplicate(path, name)] : []
    seen.add(name)
    return [...validateLabelName(name, path), ...repeated]
  })
}

/** Allows only the removal of gates. */
export const validateRemovedGates = (
  updated: readonly PodSchedulingGate[],
  old: readonly PodSchedulingGate[],
  field: string,
): FieldError[] =>
  updated.flatMap(({ name }, index) =>
    old.some((gate) => gate.name === name)
      ? []
      : [
          forbiddenField(
            `${field}[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  )
