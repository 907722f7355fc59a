/** Parses the flags of kubectl, as Go's library for POSIX flags does. */
import { UnsupportedCommand } from '#spec'
import { type FlagDefinition, type FlagDefinitions, GLOBAL_FLAGS, REFUSED_FLAGS } from './flags.ts'
import { KubectlError } from './kubectl-error.ts'
import { parseDuration } from './parse-duration.ts'

export interface ParsedFlags {
  readonly args: readonly string[]
  /** Words after `--`. */
  readonly command: readonly string[] | undefined
  has(name: string): boolean
  text(name: string): string | undefined
  bool(name: string, otherwise?: boolean): boolean
  int(name: string): number | undefined
  /** Seconds. */
  duration(name: string): number | undefined
  list(name: string): readonly string[]
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  '1': true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  '0': false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
}

const checkValue = (command: string, flag: string, { type }: FlagDefinition, value: string): void => {
  const invalid = (reason: string): KubectlError =>
    new KubectlError(`Error: invalid argument "${value}" for "${flag}" flag: ${reason}${usage(command)}`)
  if (type === 'bool' && !Object.hasOwn(BOOLEANS, value))
    throw invalid(`strconv.ParseBool: parsing "${value}": invalid syntax`)
  if (type === 'int' && !/^[-+]?\d+$/.test(value))
    throw invalid(`strconv.ParseInt: parsing "${value}": invalid syntax`)
  if (type === 'duration' && parseDuration(value) === undefined)
    throw invalid(`time: invalid duration "${value}"`)
}

const usage = (command: string): string => `\nSee 'kubectl ${command} --help' for usage.`

/** The flags and arguments that have been read. */
interface FlagState {
  readonly command: string
  readonly definitions: FlagDefinitions
  readonly left: string[]
  readonly values: Map<string, string[]>
}

const setValue = (state: FlagState, name: string, flag: string, value: string): void => {
  const { command, definitions, values } = state
  checkValue(command, flag, definitions[name]!, value)
  values.set(name, [...(values.get(name) ?? []), value])
}

const nextWord = ({ left, command }: FlagState, flag: string): string => {
  const value = left.shift()
  if (value === undefined) throw new KubectlError(`Error: flag needs an argument: ${flag}${usage(command)}`)
  return value
}

const readLongFlag = (state: FlagState, word: string): void => {
  const [name = '', ...parts] = word.slice(2).split('=')
  const definition = Object.hasOwn(state.definitions, name) ? state.definitions[name] : undefined
  if (definition === undefined) {
    if (REFUSED_FLAGS.has(name)) throw new UnsupportedCommand(`kubectl --${name}`)
    throw new KubectlError(`Error: unknown flag: --${name}${usage(state.command)}`)
  }
  const bare = definition.bare ?? (definition.type === 'bool' ? 'true' : undefined)
  const value = word.includes('=') ? parts.join('=') : (bare ?? nextWord(state, `--${name}`))
  setValue(state, name, `--${name}`, value)
}

/** Several letters can share one hyphen; the rest of the word is the value of the first letter that takes one. */
const readShortFlags = (state: FlagState, word: string): void => {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at]!
    const [name, definition] =
      Object.entries(state.definitions).find(([, { short }]) => short === letter) ?? []
    if (name === undefined || definition === undefined) {
      if (REFUSED_FLAGS.has(letter)) throw new UnsupportedCommand(`kubectl -${letter}`)
      throw new KubectlError(`Error: unknown shorthand flag: '${letter}' in ${word}${usage(state.command)}`)
    }
    const rest = word.slice(at + 1)
    const flag = `-${letter}, --${name}`
    if (definition.type === 'bool' && !rest.startsWith('=')) {
      setValue(state, name, flag, 'true')
      continue
    }
    const value = rest.startsWith('=') ? rest.slice(1) : rest || nextWord(state, `'${letter}' in ${word}`)
    setValue(state, name, flag, value)
    return
  }
}

const toParsedFlags = (
  values: ReadonlyMap<string, string[]>,
  args: readonly string[],
  command: readonly string[] | undefined,
): ParsedFlags => {
  const last = (name: string): string | undefined => values.get(name)?.at(-1)
  return {
    args,
    command,
    has: (name) => values.has(name),
    text: last,
    bool: (name, otherwise = false) => (last(name) === undefined ? otherwise : BOOLEANS[last(name)!]!),
    int: (name) => (last(name) === undefined ? undefined : Number(last(name))),
    duration: (name) => (last(name) === undefined ? undefined : parseDuration(last(name)!)),
    list: (name) => values.get(name) ?? [],
  }
}

/** With `keepsCommand`, the words after `--` are a command for a container, not further arguments. */
export const parseFlags = (
  command: string,
  words: readonly string[],
  own: FlagDefinitions,
  keepsCommand = false,
): ParsedFlags => {
  const left = [...words]
  const state: FlagState = { command, definitions: { ...GLOBAL_FLAGS, ...own }, left, values: new Map() }
  const args: string[] = []
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') {
      if (keepsCommand) return toParsedFlags(state.values, args, left)
      args.push(...left)
      break
    }
    if (word.startsWith('--')) readLongFlag(state, word)
    else if (word.startsWith('-') && word.length > 1) readShortFlags(state, word)
    else args.push(word)
  }
  return toParsedFlags(state.values, args, undefined)
}
