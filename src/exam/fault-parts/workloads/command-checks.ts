/**
 * Finds out what a command of a probe requests from its own container. Only commands whose exit code is that of the request are
 * recognised: not those that always succeed, and none whose result cannot be decided from its text.
 */

/** The same request as a probe of Kubernetes. */
export type NetworkCheck =
  | { readonly httpGet: { readonly path: string; readonly port: number } }
  | { readonly tcpSocket: { readonly port: number } }

interface OwnUrl {
  readonly path: string
  readonly port: number
}

const OWN_HOST = String.raw`(?:localhost|127\.0\.0\.1|\[::1\])`
const OWN_URL = new RegExp(String.raw`^(?:http://)?${OWN_HOST}(?::(\d+))?(/[^\s#]*)?$`)

/** Undefined for the address of another host. */
const parseOwnUrl = (text: string | undefined): OwnUrl | undefined => {
  const match = OWN_URL.exec(text ?? '')
  return match === null ? undefined : { port: Number(match[1] ?? 80), path: match[2] ?? '/' }
}

/** A request that fails if the answer is an error, or only if there is none. */
const toCheck = (url: OwnUrl | undefined, failsOnErrors: boolean): NetworkCheck | undefined => {
  if (url === undefined) return undefined
  return failsOnErrors ? { httpGet: url } : { tcpSocket: { port: url.port } }
}

/** The options of a program: those without a value, and those with one. Other options may change the exit code. */
interface Options {
  readonly flags: RegExp
  readonly settings: RegExp
}

const parseArguments = (
  words: readonly string[],
  { flags, settings }: Options,
): { readonly options: readonly string[]; readonly operands: readonly string[] } | undefined => {
  const [options, operands]: [string[], string[]] = [[], []]
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!
    const [name = '', value] = word.startsWith('--') ? word.split('=', 2) : [word]
    if (!word.startsWith('-')) operands.push(word)
    else if (flags.test(name) && value === undefined) options.push(name)
    else if (settings.test(name)) {
      options.push(name)
      if (value === undefined) index += 1
    } else return undefined
  }
  return { options, operands }
}

const CURL: Options = {
  flags: /^(?:-[fsSLkgv]+|--(?:fail|fail-with-body|silent|show-error|location|insecure))$/,
  settings: /^(?:-[fsSLkgv]*[om]|-H|--(?:output|max-time|connect-timeout|header))$/,
}
const WGET: Options = {
  flags: /^(?:-[qSc]+|-q?O-|-nv|--(?:quiet|spider|no-verbose|server-response))$/,
  settings: /^(?:-q?O|-T|-t|--(?:output-document|timeout|tries))$/,
}
const NETCAT: Options = { flags: /^-[zvn]+$/, settings: /^-[zvn]*w$/ }

type Recogniser = (words: readonly string[]) => NetworkCheck | undefined

const recogniseCurl: Recogniser = (words) => {
  const { options = [], operands = [] } = parseArguments(words, CURL) ?? {}
  const fails = options.some((name) => /^-[a-zA-Z]*f|^--fail/.test(name))
  return operands.length === 1 ? toCheck(parseOwnUrl(operands[0]), fails) : undefined
}

const recogniseWget: Recogniser = (words) => {
  const { operands = [] } = parseArguments(words, WGET) ?? {}
  return operands.length === 1 ? toCheck(parseOwnUrl(operands[0]), true) : undefined
}

const recogniseNetcat: Recogniser = (words) => {
  const { options = [], operands = [] } = parseArguments(words, NETCAT) ?? {}
  const [host, port] = operands
  const isScan = options.some((name) => name.includes('z'))
  return isScan && operands.length === 2 ? toCheck(parseOwnUrl(`${host}:${port}`), false) : undefined
}

const PYTHON_IMPORT =
  /^(?:import [\w.]+(?: as \w+)?(?:, ?[\w.]+(?: as \w+)?)*|from urllib(?:\.request)? import (?:request|urlopen))$/
const PYTHON_URLOPEN = String.raw`(?:(?:\w+\.)*urlopen)\((["'])([^"']+)\1(?:, ?timeout ?= ?[\d.]+)?\)`
/** By the expression that makes the request: whether an answer with an error is a failure. */
const PYTHON_REQUESTS: readonly (readonly [RegExp, boolean])[] = [
  [new RegExp(String.raw`^(?:\w+ ?= ?)?${PYTHON_URLOPEN}(?:\.(?:read|close|getcode)\(\))?$`), true],
  [
    new RegExp(
      String.raw`^(?:sys\.)?exit\(0 if ${PYTHON_URLOPEN}\.(?:status|getcode\(\)) ?== ?200 else 1\)$`,
    ),
    true,
  ],
  [/^requests\.get\((["'])([^"']+)\1(?:, ?timeout ?= ?[\d.]+)?\)\.raise_for_status\(\)$/, true],
  [/^requests\.get\((["'])([^"']+)\1(?:, ?timeout ?= ?[\d.]+)?\)$/, false],
]
const PYTHON_CONNECT =
  /^(?:\w+ ?= ?)?socket\.create_connection\(\((["'])([\w.]+)\1, ?(\d+)\)(?:, ?(?:timeout ?= ?)?[\d.]+)?\)(?:\.close\(\))?$/

const recognisePythonStatement = (statement: string): NetworkCheck | undefined => {
  const connect = PYTHON_CONNECT.exec(statement)
  if (connect !== null) return toCheck(parseOwnUrl(`${connect[2]}:${connect[3]}`), false)
  for (const [pattern, failsOnErrors] of PYTHON_REQUESTS) {
    const match = pattern.exec(statement)
    if (match !== null) return toCheck(parseOwnUrl(match[2]), failsOnErrors)
  }
  return undefined
}

/** A script of imports and one request, whose exception is the exit code of the program. */
const recognisePython: Recogniser = ([option, script = '', ...rest]) => {
  if (option !== '-c' || rest.length > 0) return undefined
  const statements = script
    .split(/[;\n]/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  const requests = statements.filter((statement) => !PYTHON_IMPORT.test(statement))
  return requests.length === 1 ? recognisePythonStatement(requests[0]!) : undefined
}

const FAILING_EXIT = /\s*\|\|\s*(?:exit [1-9]\d{0,2}|false)\s*$/
const REDIRECTION = /\s(?:[12&]?>\s?\/dev\/null|2>&1)(?=\s|$)/g
const WORD_PART = /'([^']*)'|"((?:[^"$`\\]|\\["\\])*)"|([^\s'"$`\\;&|<>(){}*?!#~]+)|(\s+)/y

/** The words of a simple command; undefined for anything else, such as a list or a substitution. */
const splitWords = (script: string): readonly string[] | undefined => {
  const text = script.trim().replace(FAILING_EXIT, '').replaceAll(REDIRECTION, '').trim()
  const words: string[] = []
  let word: string | undefined
  WORD_PART.lastIndex = 0
  while (WORD_PART.lastIndex < text.length) {
    const match = WORD_PART.exec(text)
    if (match === null) return undefined
    const [, single, double, plain, space] = match
    if (space === undefined) word = (word ?? '') + (single ?? double?.replaceAll(/\\(.)/g, '$1') ?? plain)
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}

const recogniseShell: Recogniser = ([option = '', script = '', ...rest]) => {
  if (!/^-e?c$/.test(option) || rest.length > 0) return undefined
  const words = splitWords(script) ?? []
  return toNetworkCheck(words[0] === 'exec' ? words.slice(1) : words)
}

const RECOGNISERS: readonly (readonly [program: RegExp, recognise: Recogniser])[] = [
  [/^(?:ba|a|da)?sh$/, recogniseShell],
  [/^curl$/, recogniseCurl],
  [/^wget$/, recogniseWget],
  [/^(?:nc|netcat)$/, recogniseNetcat],
  [/^python[\d.]*$/, recognisePython],
]

const PROGRAM_FOLDERS = /^\/(?:usr\/(?:local\/)?)?bin\//

/** Undefined if the command does something else, or if its result cannot be decided. */
export const toNetworkCheck = ([path = '', ...words]: readonly string[]): NetworkCheck | undefined => {
  const program = path.replace(PROGRAM_FOLDERS, '')
  return RECOGNISERS.find(([pattern]) => pattern.test(program))?.[1](words)
}
