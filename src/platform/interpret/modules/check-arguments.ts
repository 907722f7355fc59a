/** Checks the arguments of a module against its specification, with the messages of Ansible. */
import { isPlainObject } from '#kit'
import { isEqual, pythonString, pythonType } from '../python/python-text.ts'
import type { ArgumentOption, ArgumentSpec } from './argument-spec.ts'
import { convertArgument, TypeMistake } from './convert-argument.ts'
import { fail } from './module.ts'

type Arguments = Record<string, unknown>

const TYPE_NAMES: Readonly<Record<string, string>> = { definition: 'list_dict_str', whole: 'int' }

interface Check {
  readonly context: readonly string[]
  readonly errors: string[]
  /** Unknown options, with the specification that they are missing from. */
  readonly unknown: Map<string, ArgumentSpec>
}

const found = ({ context }: Check): string =>
  context.length === 0 ? '' : ` found in ${context.join(' -> ')}`

const convertElements = (
  name: string,
  option: ArgumentOption,
  values: unknown[],
  check: Check,
): unknown[] => {
  return values.flatMap((value) => {
    try {
      return [convertArgument(option.elements!, value)]
    } catch (error) {
      if (!(error instanceof TypeMistake)) throw error
      check.errors.push(
        `Elements value for option '${name}'${check.context.length === 0 ? '' : ` found in '${check.context.join(' -> ')}'`} is of type ${pythonType(value)} and we were unable to convert to ${option.elements}: ${error.message}`,
      )
      return []
    }
  })
}

const checkTypes = (spec: ArgumentSpec, args: Arguments, check: Check): void => {
  for (const [name, option] of Object.entries(spec)) {
    const value = args[name]
    if (value === undefined || value === null) continue
    const type = option.type ?? 'str'
    try {
      args[name] = convertArgument(type, value)
      if (option.elements !== undefined)
        args[name] = convertElements(name, option, args[name] as unknown[], check)
    } catch (error) {
      if (!(error instanceof TypeMistake)) throw error
      const where = check.context.length === 0 ? '' : ` found in '${check.context.join(' -> ')}'.`
      check.errors.push(
        `argument '${name}' is of type ${pythonType(value)}${where} and we were unable to convert to ${TYPE_NAMES[type] ?? type}: ${error.message}`,
      )
    }
  }
}

const checkChoices = (spec: ArgumentSpec, args: Arguments, check: Check): void => {
  for (const [name, { choices }] of Object.entries(spec)) {
    if (choices === undefined || !(name in args)) continue
    const value = args[name]
    const isChoice = (each: unknown): boolean => choices.some((choice) => isEqual(choice, each))
    const names = choices.map(pythonString).join(', ')
    if (Array.isArray(value)) {
      const others = value.filter((item) => !isChoice(item))
      if (others.length > 0)
        check.errors.push(
          `value of ${name} must be one or more of: ${names}. Got no match for: ${others.map(pythonString).join(', ')}${found(check)}`,
        )
      continue
    }
    if (isChoice(value)) continue
    // The choices may contain booleans, because YAML parses some words as booleans.
    const word = value === 'True' ? true : value === 'False' ? false : undefined
    if (word !== undefined && isChoice(word)) args[name] = word
    else
      check.errors.push(
        `value of ${name} must be one of: ${names}, got: ${pythonString(value)}${found(check)}`,
      )
  }
}

const applyAliases = (spec: ArgumentSpec, args: Arguments): void => {
  for (const [name, { aliases = [] }] of Object.entries(spec))
    for (const alias of aliases)
      if (alias in args) {
        args[name] = args[alias]
        delete args[alias]
      }
}

const findUnknown = (spec: ArgumentSpec, args: Arguments, check: Check): void => {
  for (const name of Object.keys(args))
    if (!(name in spec)) check.unknown.set([...check.context, name].join('.'), spec)
}

const checkRequired = (spec: ArgumentSpec, args: Arguments, check: Check): void => {
  const missing = Object.keys(spec).filter((name) => spec[name]!.required === true && !(name in args))
  if (missing.length > 0)
    check.errors.push(`missing required arguments: ${missing.sort().join(', ')}${found(check)}`)
}

const setDefaults = (spec: ArgumentSpec, args: Arguments, isLast: boolean): void => {
  for (const [name, option] of Object.entries(spec)) {
    if (name in args) continue
    if (option.default !== undefined && option.default !== null) args[name] = structuredClone(option.default)
    else if (isLast) args[name] = null
  }
}

const checkNested = (spec: ArgumentSpec, args: Arguments, check: Check): void => {
  for (const [name, { options }] of Object.entries(spec)) {
    const value = args[name]
    if (options === undefined || value === undefined || value === null) continue
    for (const nested of Array.isArray(value) ? value : [value]) {
      if (!isPlainObject(nested)) {
        check.errors.push(`value of '${name}' must be of type dict or list of dicts`)
        continue
      }
      checkLevel(options, nested as Arguments, [], { ...check, context: [...check.context, name] })
    }
  }
}

const checkLevel = (
  spec: ArgumentSpec,
  args: Arguments,
  exclusive: readonly (readonly string[])[],
  check: Check,
): void => {
  applyAliases(spec, args)
  findUnknown(spec, args, check)
  const clashes = exclusive.filter((names) => names.filter((name) => name in args).length > 1)
  if (clashes.length > 0)
    check.errors.push(
      `parameters are mutually exclusive: ${clashes.map((names) => names.join('|')).join(', ')}`,
    )
  setDefaults(spec, args, false)
  checkRequired(spec, args, check)
  checkTypes(spec, args, check)
  checkChoices(spec, args, check)
  setDefaults(spec, args, true)
  checkNested(spec, args, check)
}

const unknownMessage = (module: string, unknown: ReadonlyMap<string, ArgumentSpec>): string => {
  const spec = [...unknown.values()].at(-1)!
  const names = Object.keys(spec).sort()
  const aliases = Object.values(spec)
    .flatMap(({ aliases: each = [] }) => each)
    .sort()
  const supported = `${names.join(', ')}${aliases.length === 0 ? '' : ` (${aliases.join(', ')})`}`
  return `Unsupported parameters for (${module}) module: ${[...unknown.keys()].sort().join(', ')}. Supported parameters include: ${supported}.`
}

/** Returns the arguments with their types and defaults. Fails the module with the first mistake. */
export const checkArguments = (
  module: string,
  spec: ArgumentSpec,
  args: Arguments,
  exclusive: readonly (readonly string[])[] = [],
): Record<string, any> => {
  const check: Check = { context: [], errors: [], unknown: new Map() }
  checkLevel(spec, args, exclusive, check)
  if (check.unknown.size > 0) check.errors.push(unknownMessage(module, check.unknown))
  if (check.errors.length > 0) fail(check.errors[0])
  return args
}
