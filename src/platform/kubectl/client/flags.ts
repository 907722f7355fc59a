/** Parses the flags of kubectl, as Go's library for POSIX flags does. */
import { UnsupportedCommand } from '../unsupported-command.ts'
import { KubectlError } from './kubectl-error.ts'

export interface FlagDefinition {
  readonly short?: string
  readonly type: 'string' | 'bool' | 'int' | 'duration' | 'list'
  /** The value of a flag without one, such as `--force` or `--dry-run`. */
  readonly bare?: string
}

export type FlagDefinitions = Readonly<Record<string, FlagDefinition>>

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

/** Flags of every command. Those that lead to another server, user or context are refused. */
const GLOBAL: FlagDefinitions = {
  namespace: { short: 'n', type: 'string' },
  'request-timeout': { type: 'string' },
  v: { short: 'v', type: 'int' },
  'warnings-as-errors': { type: 'bool' },
}

const REFUSED = new Set([
  ...[
    'kubeconfig',
    'context',
    'cluster',
    'user',
    'server',
    's',
    'token',
    'as',
    'as-group',
    'username',
    'password',
  ],
  ...[
    'certificate-authority',
    'client-certificate',
    'client-key',
    'insecure-skip-tls-verify',
    'tls-server-name',
  ],
  ...['cache-dir', 'profile', 'help', 'h'],
])

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

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 0.001,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
}

/** Seconds of a Go duration such as `1m30s`; undefined if it is invalid. */
export const parseDuration = (text: string): number | undefined => {
  if (/^[-+]?0$/.test(text)) return 0
  const [, sign, parts] = /^([-+]?)((?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+)$/.exec(text) ?? []
  if (parts === undefined) return undefined
  const seconds = [...parts.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)].reduce(
    (total, [, number, unit]) => total + Number(number) * UNIT_SECONDS[unit!]!,
    0,
  )
  return sign === '-' ? -seconds : seconds
}

const checkValue = (flag: string, { type }: FlagDefinition, value: string): void => {
  const invalid = (reason: string): KubectlError =>
    new KubectlError(`error: invalid argument "${value}" for "${flag}" flag: ${reason}`)
  if (type === 'bool' && !Object.hasOwn(BOOLEANS, value))
    throw invalid(`strconv.ParseBool: parsing "${value}": invalid syntax`)
  if (type === 'int' && !/^[-+]?\d+$/.test(value))
    throw invalid(`strconv.ParseInt: parsing "${value}": invalid syntax`)
  if (type === 'duration' && parseDuration(value) === undefined)
    throw invalid(`time: invalid duration "${value}"`)
}

const usage = (command: string): string => `\nSee 'kubectl ${command} --help' for usage.`

export const parseFlags = (
  command: string,
  words: readonly string[],
  own: FlagDefinitions,
  stopsAtDashes = false,
): ParsedFlags => {
  const definitions: FlagDefinitions = { ...GLOBAL, ...own }
  const byShort = new Map(
    Object.entries(definitions).flatMap(([name, { short }]) =>
      short === undefined ? [] : [[short, name] as const],
    ),
  )
  const values = new Map<string, string[]>()
  const args: string[] = []
  let rest: readonly string[] | undefined
  let index = 0
  const set = (name: string, flag: string, value: string): void => {
    checkValue(flag, definitions[name]!, value)
    values.set(name, [...(values.get(name) ?? []), value])
  }
  const next = (flag: string): string => {
    index += 1
    const value = words[index]
    if (value === undefined) throw new KubectlError(`error: flag needs an argument: ${flag}${usage(command)}`)
    return value
  }
  const addLong = (word: string): void => {
    const [name = '', ...parts] = word.slice(2).split('=')
    const definition = definitions[name]
    if (definition === undefined) {
      if (REFUSED.has(name)) throw new UnsupportedCommand(`kubectl --${name}`)
      throw new KubectlError(`error: unknown flag: --${name}${usage(command)}`)
    }
    const bare = definition.bare ?? (definition.type === 'bool' ? 'true' : undefined)
    set(name, `--${name}`, word.includes('=') ? parts.join('=') : (bare ?? next(`--${name}`)))
  }
  const addShort = (word: string): void => {
    for (let at = 1; at < word.length; at += 1) {
      const letter = word[at]!
      const name = byShort.get(letter)
      if (name === undefined) {
        if (REFUSED.has(letter)) throw new UnsupportedCommand(`kubectl -${letter}`)
        throw new KubectlError(`error: unknown shorthand flag: '${letter}' in ${word}${usage(command)}`)
      }
      const definition = definitions[name]!
      const tail = word.slice(at + 1)
      const flag = `-${letter}, --${name}`
      if (definition.type === 'bool' && !tail.startsWith('=')) {
        set(name, flag, 'true')
        continue
      }
      set(
        name,
        flag,
        tail.startsWith('=') ? tail.slice(1) : tail === '' ? next(`'${letter}' in ${word}`) : tail,
      )
      return
    }
  }
  for (; index < words.length; index += 1) {
    const word = words[index]!
    if (word === '--') {
      rest = words.slice(index + 1)
      break
    }
    if (word.startsWith('--')) addLong(word)
    else if (word.startsWith('-') && word.length > 1) addShort(word)
    else args.push(word)
  }
  if (rest !== undefined && !stopsAtDashes) args.push(...rest)
  const last = (name: string): string | undefined => values.get(name)?.at(-1)
  return {
    args,
    command: rest,
    has: (name) => values.has(name),
    text: last,
    bool: (name, otherwise = false) => (last(name) === undefined ? otherwise : BOOLEANS[last(name)!]!),
    int: (name) => (last(name) === undefined ? undefined : Number(last(name))),
    duration: (name) => (last(name) === undefined ? undefined : parseDuration(last(name)!)),
    list: (name) => values.get(name) ?? [],
  }
}
