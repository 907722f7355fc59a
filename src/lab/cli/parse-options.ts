/** Parses the arguments of a command, and rejects those that the command does not declare. */
import { parseArgs } from 'node:util'
import { findNearestName } from '#kit'
import { RemediumError } from '#spec'
import type { Command, OptionDeclaration, OptionDeclarations } from './define-command.ts'

/** The options of every command. */
export const COMMON_OPTIONS = {
  help: { type: 'boolean', short: 'h', about: 'show this help' },
  json: { type: 'boolean', about: 'print the result as JSON' },
} as const satisfies OptionDeclarations

export interface ParsedArguments {
  help: boolean
  json: boolean
  options: Record<string, unknown>
  positionals: string[]
}

const toAlternatives = (choices: readonly string[]): string =>
  [choices.slice(0, -1).join(', '), ...choices.slice(-1)].filter((part) => part !== '').join(' or ')

/** Describes the valid values; returns undefined if the value is valid. */
const describeExpected = (value: string, declaration: OptionDeclaration): string | undefined => {
  if ('min' in declaration) {
    const { min, max } = declaration
    return Number(value) >= min && Number(value) <= max ? undefined : `${min} to ${max}`
  }
  const { choices, isNonEmpty = false } = declaration
  if (isNonEmpty && value.trim() === '') return 'a non-empty text'
  return choices === undefined || choices.includes(value) ? undefined : toAlternatives(choices)
}

const toBadValueError = (name: string, expected: string, given: string): RemediumError =>
  new RemediumError('bad-argument', `--${name} must be ${expected}, but "${given}" was given.`)

/** `pattern` is present for numbers. */
const KINDS: Readonly<Record<'string' | 'integer' | 'number', { kind: string; pattern?: RegExp }>> = {
  string: { kind: 'a value' },
  integer: { kind: 'an integer', pattern: /^-?\d+$/ },
  number: { kind: 'a number', pattern: /^-?\d{1,15}(\.\d{1,15})?$/ },
}

const toValue = (name: string, declaration: OptionDeclaration, given: string | undefined): unknown => {
  if (declaration.type === 'boolean') {
    if (given === undefined) return true
    throw new RemediumError('bad-argument', `--${name} takes no value, but "${given}" was given.`)
  }
  const { kind, pattern } = KINDS[declaration.type]
  if (given === undefined) throw new RemediumError('bad-argument', `--${name} requires ${kind}.`)
  if (pattern !== undefined && !pattern.test(given)) throw toBadValueError(name, kind, given)
  const expected = describeExpected(given, declaration)
  if (expected !== undefined) throw toBadValueError(name, expected, given)
  return pattern === undefined ? given : Number(given)
}

/** An error for an unknown option; suggests the most similar name. */
export const toUnknownOptionError = (
  commandLine: string,
  given: string,
  names: readonly string[],
): RemediumError => {
  const nearest = findNearestName(given.replace(/^-+/, ''), names)
  return new RemediumError('unknown-option', `"${commandLine}" has no option ${given}.`, {
    hint: nearest === undefined ? `See "${commandLine} --help".` : `Did you mean --${nearest}?`,
  })
}

const defaultValues = (declarations: OptionDeclarations): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(declarations).map(([name, { type, multiple, default: fallback }]) => [
      name,
      multiple ? [] : (fallback ?? (type === 'boolean' ? false : undefined)),
    ]),
  )

/** Maps each alias to the name of its option. */
const aliasesIn = (declarations: OptionDeclarations): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(declarations).flatMap(([name, { alias }]) => (alias === undefined ? [] : [[alias, name]])),
  )

const parsePassedThrough = (args: readonly string[]): ParsedArguments => ({
  help: args.includes('--help') || args.includes('-h'),
  json: args.includes('--json'),
  options: {},
  positionals: args.filter((argument) => argument !== '--json'),
})

const rejectPositionals = (commandName: string, positionals: readonly string[]): void => {
  if (positionals.length === 0) return
  throw new RemediumError(
    'bad-argument',
    `"remedium ${commandName}" takes no argument, but "${positionals[0]}" was given.`,
    {
      hint: `See "remedium ${commandName} --help".`,
    },
  )
}

/** Parses the arguments after the name of the command. Throws on the first invalid one. */
export const parseOptions = (
  commandName: string,
  command: Command,
  args: readonly string[],
): ParsedArguments => {
  if (command.passThrough) return parsePassedThrough(args)
  const declarations: OptionDeclarations = { ...command.options, ...COMMON_OPTIONS }
  const nameOf = aliasesIn(declarations)
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(declarations).flatMap(([name, { type, short, alias }]) => {
        const shape = { type: type === 'boolean' ? 'boolean' : 'string' } as const
        return [
          [name, { ...shape, ...(short && { short }) }],
          ...(alias === undefined ? [] : [[alias, shape] as const]),
        ]
      }),
    ),
  })
  const options = defaultValues(declarations)
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const name = nameOf.get(token.name) ?? token.name
    const declaration = Object.hasOwn(declarations, name) ? declarations[name] : undefined
    if (declaration === undefined)
      throw toUnknownOptionError(`remedium ${commandName}`, token.rawName, Object.keys(declarations))
    const value = toValue(name, declaration, token.value)
    options[name] = declaration.multiple ? [...(options[name] as unknown[]), value] : value
  }
  const { help, json, ...commandOptions } = options
  if (command.positionals === undefined && !help) rejectPositionals(commandName, positionals)
  return { help: help === true, json: json === true, options: commandOptions, positionals }
}
