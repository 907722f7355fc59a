/** Reads the arguments of one command, and refuses what it does not declare in one clear sentence. */
import { parseArgs } from 'node:util'
import { nearestName } from '../kit/index.ts'
import { RemediumError } from '../spec/index.ts'
import type { Command, OptionDeclaration, OptionDeclarations } from './define-command.ts'

/** What every command has. */
export const COMMON_OPTIONS = {
  help: { type: 'boolean', short: 'h', about: 'show this help' },
  json: { type: 'boolean', about: 'print the answer as JSON' },
} as const satisfies OptionDeclarations

export interface ParsedArguments {
  help: boolean
  json: boolean
  options: Record<string, unknown>
  positionals: string[]
}

const toWords = (choices: readonly string[]): string =>
  [choices.slice(0, -1).join(', '), ...choices.slice(-1)].filter((part) => part !== '').join(' or ')

/** What the option takes instead of the value; nothing where it takes the value. */
const takenInstead = (
  value: string | number,
  { least, most, choices }: OptionDeclaration,
): string | undefined => {
  if (typeof value === 'string')
    return choices === undefined || choices.includes(value) ? undefined : toWords(choices)
  if (least === undefined || (value >= least && (most === undefined || value <= most))) return undefined
  return most === undefined ? `${least} or more` : `${least} to ${most}`
}

const toRefusal = (name: string, wanted: string, given: string): RemediumError =>
  new RemediumError('bad-argument', `--${name} must be ${wanted}, but "${given}" was given.`)

const toValue = (name: string, declaration: OptionDeclaration, given: string | undefined): unknown => {
  if (declaration.type === 'boolean') {
    if (given === undefined) return true
    throw new RemediumError('bad-argument', `--${name} takes no value, but "${given}" was given.`)
  }
  const isInteger = declaration.type === 'integer'
  const wanted = isInteger ? 'a whole number' : 'a value'
  if (given === undefined) throw new RemediumError('bad-argument', `--${name} needs ${wanted}.`)
  if (isInteger && !/^-?\d{1,15}$/.test(given)) throw toRefusal(name, wanted, given)
  const value = isInteger ? Number(given) : given
  const instead = takenInstead(value, declaration)
  if (instead !== undefined) throw toRefusal(name, instead, given)
  return value
}

/** The sentence about an option that is not among the names, with the one that was probably meant. */
export const toUnknownOption = (line: string, given: string, names: readonly string[]): RemediumError => {
  const nearest = nearestName(given.replace(/^-+/, ''), names)
  return new RemediumError('unknown-option', `"${line}" has no option ${given}.`, {
    hint: nearest === undefined ? `See "${line} --help".` : `Did you mean --${nearest}?`,
  })
}

const startValues = (declarations: OptionDeclarations): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(declarations).map(([name, { type, multiple, default: fallback }]) => [
      name,
      multiple ? [] : (fallback ?? (type === 'boolean' ? false : undefined)),
    ]),
  )

/** The options by their other names. */
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

const refusePositionals = (commandName: string, positionals: readonly string[]): void => {
  if (positionals.length === 0) return
  throw new RemediumError(
    'bad-argument',
    `"remedium ${commandName}" takes no argument, but "${positionals[0]}" was given.`,
    {
      hint: `See "remedium ${commandName} --help".`,
    },
  )
}

/** The arguments after the command's name, checked against what the command declares. */
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
  const options = startValues(declarations)
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const name = nameOf.get(token.name) ?? token.name
    const declaration = Object.hasOwn(declarations, name) ? declarations[name] : undefined
    if (declaration === undefined)
      throw toUnknownOption(`remedium ${commandName}`, token.rawName, Object.keys(declarations))
    const value = toValue(name, declaration, token.value)
    options[name] = declaration.multiple ? [...(options[name] as unknown[]), value] : value
  }
  const { help, json, ...own } = options
  if (command.positionals === undefined && !help) refusePositionals(commandName, positionals)
  return { help: help === true, json: json === true, options: own, positionals }
}
