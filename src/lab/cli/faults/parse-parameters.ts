/** Parses the parameters of a fault from the command line: `workers=4`. */
import { findNearestName } from '#kit'
import { type Fault, type ParameterDeclaration, type ParameterValues, RemediumError } from '#spec'

const badArgument = (message: string, hint?: string): RemediumError =>
  new RemediumError('bad-argument', message, { hint })

/** `1 to 64`, `one of read, write` */
export const rangeText = (declaration: ParameterDeclaration): string => {
  if (declaration.type === 'choice') return `one of ${declaration.choices.join(', ')}`
  const unit = declaration.unit === undefined ? '' : ` ${declaration.unit}`
  return `${declaration.type === 'integer' ? 'an integer, ' : ''}${declaration.min} to ${declaration.max}${unit}`
}

const parseValue = (name: string, declaration: ParameterDeclaration, text: string): number | string => {
  const message = `The parameter ${name} must be ${rangeText(declaration)}, but "${text}" was given.`
  if (declaration.type === 'choice') {
    if (!declaration.choices.includes(text)) throw badArgument(message)
    return text
  }
  const value = text.trim() === '' ? Number.NaN : Number(text)
  const fits = value >= declaration.min && value <= declaration.max
  if (!fits || (declaration.type === 'integer' && !Number.isInteger(value))) throw badArgument(message)
  return value
}

/** Returns a value for each declared parameter: the given one, or the default. */
export const parseParameters = ({ name, parameters }: Fault, given: readonly string[]): ParameterValues => {
  const values: Record<string, number | string> = Object.fromEntries(
    Object.entries(parameters).map(([key, declaration]) => [key, declaration.default]),
  )
  for (const text of given) {
    const separator = text.indexOf('=')
    if (separator < 1) throw badArgument(`--param must be NAME=VALUE, but "${text}" was given.`)
    const key = text.slice(0, separator)
    const names = Object.keys(parameters)
    if (!names.includes(key)) {
      const nearest = findNearestName(key, names)
      const parametersText =
        names.length === 0 ? 'It has no parameters.' : `Its parameters are: ${names.join(', ')}.`
      throw badArgument(
        `The fault "${name}" has no parameter "${key}".`,
        nearest === undefined ? parametersText : `Did you mean "${nearest}"?`,
      )
    }
    values[key] = parseValue(key, parameters[key]!, text.slice(separator + 1))
  }
  return values
}
