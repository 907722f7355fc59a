/** Binds the arguments of filters, tests and methods to parameters, as Python does. */
import { typeError } from './python-error.ts'
import { type Keywords, toFloat } from './value.ts'

interface Parameter {
  readonly name: string
  readonly isRequired: boolean
  readonly fallback: unknown
}

/** A function's name and parameters. */
export interface Signature {
  readonly name: string
  readonly parameters: readonly Parameter[]
}

const CONSTANTS: Readonly<Record<string, unknown>> = { None: null, True: true, False: false }

const parseDefault = (text: string): unknown => {
  if (Object.hasOwn(CONSTANTS, text)) return CONSTANTS[text]
  if (text.startsWith("'")) return text.slice(1, -1)
  return text.includes('.') ? toFloat(Number(text)) : Number(text)
}

const parseParameter = (text: string): Parameter => {
  const [name, fallback] = text.split('=', 2) as [string, string | undefined]
  return {
    name,
    isRequired: fallback === undefined,
    fallback: fallback === undefined ? undefined : parseDefault(fallback),
  }
}

/** Parses a signature such as `do_replace(old, new, count=None)`. It does not include the value that a filter is applied to. */
export const parseSignature = (text: string): Signature => {
  const [name, rest] = text.split('(', 2) as [string, string]
  const list = rest.slice(0, -1)
  return { name, parameters: list === '' ? [] : list.split(', ').map(parseParameter) }
}

const describeMissing = (names: readonly string[]): string => {
  const quoted = names.map((name) => `'${name}'`)
  if (quoted.length <= 1) return quoted.join('')
  const separator = quoted.length > 2 ? ', and ' : ' and '
  return `${quoted.slice(0, -1).join(', ')}${separator}${quoted.at(-1)}`
}

const checkMissing = ({ name, parameters }: Signature, bound: readonly unknown[]): void => {
  const missing = parameters.filter((parameter, index) => parameter.isRequired && bound[index] === undefined)
  if (missing.length === 0) return
  const names = describeMissing(missing.map((parameter) => parameter.name))
  const arguments_ = missing.length === 1 ? 'argument' : 'arguments'
  throw typeError(`${name}() missing ${missing.length} required positional ${arguments_}: ${names}`)
}

/** Returns one value for each parameter. Throws TypeError if the arguments do not fit. */
export const bindArguments = (
  signature: Signature,
  args: readonly unknown[],
  keywords: Keywords,
): unknown[] => {
  const { name, parameters } = signature
  if (args.length > parameters.length)
    throw typeError(`${name}() takes ${parameters.length} positional arguments but ${args.length} were given`)
  const bound = parameters.map((_, index) => args[index])
  for (const [key, value] of keywords) {
    const index = parameters.findIndex((parameter) => parameter.name === key)
    if (index < 0) throw typeError(`${name}() got an unexpected keyword argument '${key}'`)
    if (bound[index] !== undefined) throw typeError(`${name}() got multiple values for argument '${key}'`)
    bound[index] = value
  }
  checkMissing(signature, bound)
  return bound.map((value, index) => (value === undefined ? parameters[index]!.fallback : value))
}

/** For functions that accept no keywords. */
export const rejectKeywords = (name: string, keywords: Keywords): void => {
  if (keywords.size > 0) throw typeError(`${name}() takes no keyword arguments`)
}
