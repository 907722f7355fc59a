/** The options that the MySQL programs share, and their connection errors. */
import { readConnectError } from './connect-errors.ts'

export interface MysqlOptions {
  readonly host: string
  readonly address: () => Promise<{ host: string; port: number }>
  readonly login: { readonly user: string; readonly password: string; readonly database?: string }
  readonly execute: string | undefined
  /** Whether to print the column names in the first line. */
  readonly names: boolean
  readonly vertical: boolean
  readonly table: boolean
  readonly connectTimeoutMs: number
  /** Arguments that are not options. */
  readonly words: readonly string[]
}

const LONG_OPTIONS: Readonly<Record<string, string>> = {
  user: 'u',
  password: 'p',
  host: 'h',
  port: 'P',
  database: 'D',
  execute: 'e',
  'skip-column-names': 'N',
  silent: 's',
  batch: 'B',
  vertical: 'E',
  table: 't',
  'connect-timeout': 'T',
  protocol: 'X',
  socket: 'S',
}

/** Options with a value, which is attached or the next argument. A password must be attached. */
const WITH_VALUE = 'uhPDeTXS'

/** Splits combined short options such as `-sNe`; the last may have an attached value: `-uroot`. */
const splitShortOptions = (options: string): [string, string | undefined][] => {
  const parsed: [string, string | undefined][] = []
  for (const [at, option] of [...options].entries()) {
    const rest = options.slice(at + 1)
    const takesRest = option === 'p' || WITH_VALUE.includes(option)
    parsed.push([option, takesRest && rest !== '' ? rest : undefined])
    if (takesRest) break
  }
  return parsed
}

const splitOption = (word: string): [string, string | undefined][] => {
  const [, name, value] = /^--([\w-]+)(?:=([\s\S]*))?$/.exec(word) ?? []
  if (name === undefined) return splitShortOptions(word.slice(1))
  const option = LONG_OPTIONS[name]
  if (option === undefined) throw new Error(`unknown option '${word}'`)
  return [[option, value]]
}

const readOptions = (args: readonly string[]): { options: Map<string, string>; words: string[] } => {
  const options = new Map<string, string>()
  const words: string[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!
    if (!word.startsWith('-')) words.push(word)
    else
      for (const [option, value] of splitOption(word))
        options.set(option, value ?? (WITH_VALUE.includes(option) ? (args[++at] ?? '') : ''))
  }
  return { options, words }
}

/** Throws an error for an unknown option. */
export const parseMysqlOptions = (args: readonly string[]): MysqlOptions => {
  const { options, words } = readOptions(args)
  const host = options.get('h') ?? 'localhost'
  const database = options.get('D') ?? words[0]
  return {
    host,
    // The pod may have no name resolution, so `localhost` becomes an address.
    address: async () => ({
      host: host === 'localhost' ? '127.0.0.1' : host,
      port: Number(options.get('P') ?? 3306),
    }),
    login: {
      user: options.get('u') ?? 'root',
      password: options.get('p') ?? process.env.MYSQL_PWD ?? '',
      ...(database === undefined ? {} : { database }),
    },
    execute: options.get('e'),
    names: !options.has('N'),
    vertical: options.has('E'),
    table: options.has('t'),
    connectTimeoutMs: Number(options.get('T') ?? 10) * 1_000,
    words,
  }
}

/** Returns a code and a message, such as `2003 (HY000)` and `Can't connect to MySQL server on 'db' (111)`. */
export const toConnectText = (
  { message }: Error,
  host: string,
): { readonly code: string; readonly text: string } => {
  const connectError = readConnectError(message)
  if (connectError === undefined) return { code: '2013 (HY000)', text: message }
  if (connectError.number < 0)
    return { code: '2005 (HY000)', text: `Unknown MySQL server host '${host}' (${connectError.number})` }
  return { code: '2003 (HY000)', text: `Can't connect to MySQL server on '${host}' (${connectError.number})` }
}
