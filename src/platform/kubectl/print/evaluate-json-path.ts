/** Evaluates the steps of a JSONPath on values. */
import { isPlainObject } from '#kit'
import { refuse, type Step } from './parse-json-path.ts'

const compare = (left: unknown, operator: string, right: unknown): boolean => {
  if (operator === '==') return left === right
  if (operator === '!=') return left !== right
  if (typeof left !== typeof right) throw refuse(`the comparison ${operator}`)
  const [a, b] = [left as string | number, right as string | number]
  return operator === '<' ? a < b : operator === '<=' ? a <= b : operator === '>' ? a > b : a >= b
}

const membersOf = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value
  // Go visits the keys of a map in random order, so kubectl sorts them.
  return isPlainObject(value)
    ? Object.keys(value)
        .sort()
        .map((key) => value[key])
    : []
}

const descendantsOf = (value: unknown): unknown[] => [value, ...membersOf(value).flatMap(descendantsOf)]

/** Ignores fields that do not exist, as `kubectl get` does. */
const applyStep = (value: unknown, step: Step): unknown[] => {
  switch (step.type) {
    case 'field':
      return isPlainObject(value) && step.name in value ? [value[step.name]] : []
    case 'wildcard':
      return membersOf(value)
    case 'recursive':
      return descendantsOf(value)
    case 'slice': {
      if (!Array.isArray(value)) return []
      if (
        step.isSingle &&
        step.from !== undefined &&
        (step.from >= value.length || -step.from > value.length)
      )
        throw refuse(`index ${step.from} beyond the end of a list`)
      return value.slice(step.from, step.to)
    }
    default:
      return membersOf(value).filter((member) => {
        const left = evaluateSteps([member], step.left)
        if (step.operator === undefined) return left.length > 0
        return left.length > 0 && compare(left[0], step.operator, step.right)
      })
  }
}

export const evaluateSteps = (values: readonly unknown[], steps: readonly Step[]): unknown[] =>
  steps.reduce<unknown[]>((current, step) => current.flatMap((value) => applyStep(value, step)), [...values])
