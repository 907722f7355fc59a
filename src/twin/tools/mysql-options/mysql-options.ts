/** The options that the programs of MySQL share, and how they tell that nobody is there. */
import { readConnectError } from '../connect-errors/connect-errors.ts'

export interface MysqlOptions {
  readonly host: string
  readonly address: () => Promise<{ host: string; port: number }>
  readonly login: { readonly user: string; readonly password: string; readonly database?: string }
  readonly execute: string | undefined
  /** Names of the columns in the first line. */
  readonly names: boolean
  readonly vertical: boolean
  readonly table: boolean
  readonly connectTimeoutMs: number
  /** What is no option. */
  readonly words: readonly string[]
}

const LONG: Readonly<Record<string, string>> = {
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

/** With a value: behind the letter, or the next word. Of a password only behind it. */
const WITH_VALUE = 'uhPDeTXS'

/** Options of one letter may stand together: `-sNe`. The last may have its value behind it: `-uroot`. */
const splitLetters = (letters: string): [string, string | undefined][] => {
  const found: [string, string | undefined][] = []
  for (const [at, letter] of [...letters].entries()) {
    const rest = letters.slice(at + 1)
    const takesRest = letter === 'p' || WITH_VALUE.includes(letter)
    found.push([letter, takesRest && rest !== '' ? rest : undefined])
    if (takesRest) break
  }
  return found
}

const splitOption = (word: string): [string, string | undefined][] => {
  const [, name, value] = /^--([\w-]+)(?:=([\s\S]*))?$/.exec(word) ?? []
  if (name === undefined) return splitLetters(word.slice(1))
  const letter = LONG[name]
  if (letter === undefined) throw new Error(`unknown option '${word}'`)
  return [[letter, value]]
}

const readOptions = (given: readonly string[]): { options: Map<string, string>; words: string[] } => {
  const options = new Map<string, string>()
  const words: string[] = []
  for (let at = 0; at < given.length; at++) {
    const word = given[at]!
    if (!word.startsWith('-')) words.push(word)
    else
      for (const [letter, value] of splitOption(word))
        options.set(letter, value ?? (WITH_VALUE.includes(letter) ? (given[++at] ?? '') : ''))
  }
  return { options, words }
}

/** Throws one sentence for an option that is not known. */
export const parseMysqlOptions = (given: readonly string[]): MysqlOptions => {
  const { options, words } = readOptions(given)
  const host = options.get('h') ?? 'localhost'
  const database = options.get('D') ?? words[0]
  return {
    host,
    // By its address, as there may be no names in the pod.
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

/** `ERROR 2003 (HY000): Can't connect to MySQL server on 'db' (111)`, without the word in front. */
export const toConnectText = (
  { message }: Error,
  host: string,
): { readonly code: string; readonly text: string } => {
  const known = readConnectError(message)
  if (known === undefined) return { code: '2013 (HY000)', text: message }
  if (known.number < 0)
    return { code: '2005 (HY000)', text: `Unknown MySQL server host '${host}' (${known.number})` }
  return { code: '2003 (HY000)', text: `Can't connect to MySQL server on '${host}' (${known.number})` }
}
