/** Finds mistakes in given values of a fault's parameters. */
import { findNearestName } from '#kit'
import type { Fault, ParameterDeclaration, ParameterValues } from '#spec'

const findValueMistake = (declared: ParameterDeclaration, value: unknown): string | undefined => {
  if (declared.type === 'choice')
    return declared.choices.includes(String(value))
      ? undefined
      : `must be one of ${declared.choices.join(', ')}, not ${value}`
  const { min, max, type } = declared
  if (typeof value !== 'number' || value < min || value > max)
    return `must be from ${min} to ${max}, not ${value}`
  return type === 'integer' && !Number.isInteger(value) ? `must be a whole number, not ${value}` : undefined
}

interface ParameterMistake {
  readonly parameter: string
  readonly text: string
}

/** Checks only given values; others may be missing. */
export const findParameterMistakes = (
  { name: fault, parameters }: Fault,
  values: ParameterValues,
): ParameterMistake[] =>
  Object.entries(values).flatMap(([parameter, value]) => {
    const declared = Object.hasOwn(parameters, parameter) ? parameters[parameter] : undefined
    if (declared === undefined) {
      const nearest = findNearestName(parameter, Object.keys(parameters))
      const suggestion = nearest === undefined ? '' : `; did you mean ${nearest}?`
      return [{ parameter, text: `the fault ${fault} has no parameter "${parameter}"${suggestion}` }]
    }
    const mistake = findValueMistake(declared, value)
    return mistake === undefined ? [] : [{ parameter, text: `${parameter} of ${fault} ${mistake}` }]
  })
