/** What is wrong with values that somebody has given a fault's parameters. */
import { nearestName } from '../kit/index.ts'
import type { Fault, ParameterDeclaration, ParameterValues } from '../spec/index.ts'

const valueMistake = (declared: ParameterDeclaration, value: unknown): string | undefined => {
  if (declared.type === 'choice')
    return declared.choices.includes(String(value))
      ? undefined
      : `must be one of ${declared.choices.join(', ')}, not ${value}`
  const { least, most, type } = declared
  if (typeof value !== 'number' || value < least || value > most)
    return `must be from ${least} to ${most}, not ${value}`
  return type === 'integer' && !Number.isInteger(value) ? `must be a whole number, not ${value}` : undefined
}

interface ParameterMistake {
  readonly parameter: string
  readonly text: string
}

/** Of those that are given; others may be missing. */
export const parameterMistakes = (
  { name: fault, parameters }: Fault,
  given: ParameterValues,
): ParameterMistake[] =>
  Object.entries(given).flatMap(([parameter, value]) => {
    const declared = Object.hasOwn(parameters, parameter) ? parameters[parameter] : undefined
    if (declared === undefined) {
      const near = nearestName(parameter, Object.keys(parameters))
      const guess = near === undefined ? '' : `; did you mean ${near}?`
      return [{ parameter, text: `the fault ${fault} has no parameter "${parameter}"${guess}` }]
    }
    const mistake = valueMistake(declared, value)
    return mistake === undefined ? [] : [{ parameter, text: `${parameter} of ${fault} ${mistake}` }]
  })
