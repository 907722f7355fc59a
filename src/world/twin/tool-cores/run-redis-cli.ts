/** The program `redis-cli`, apart from how it connects and reads its input. */
import { type RedisConnection, RedisError, type RedisReply, Status } from '#world/twin/stores'
import { readConnectError } from './connect-errors.ts'

export interface RedisSurroundings {
  open(address: { readonly host: string; readonly port: number }): Promise<RedisConnection>
  /** The lines of the input, each as soon as it is complete. */
  readLines(): AsyncIterable<string> | Iterable<string>
  print(text: string): void
  printError(text: string): void
  /** Whether the output goes to a terminal. */
  readonly isTerminal: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
}

const format = (answer: RedisReply, isPlain: boolean, indent = ''): string => {
  if (answer === null) return isPlain ? '' : '(nil)'
  if (typeof answer === 'number') return isPlain ? String(answer) : `(integer) ${answer}`
  if (answer instanceof RedisError) return isPlain ? answer.message : `(error) ${answer.message}`
  if (answer instanceof Status) return answer.text
  if (typeof answer === 'string') {
    const text = Buffer.from(answer, 'latin1').toString('utf8')
    return isPlain ? text : JSON.stringify(text)
  }
  if (answer.length === 0) return isPlain ? '' : '(empty array)'
  return answer
    .map((element, at) =>
      isPlain
        ? format(element, isPlain)
        : `${at === 0 ? '' : indent}${at + 1}) ${format(element, isPlain, `${indent}   `)}`,
    )
    .join('\n')
}

/** Splits at spaces outside quotes. */
const splitWords = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double?.replace(/\\(.)/g, '$1') ?? single ?? bare ?? '',
  )

const parseArguments = (words: readonly string[], password: string) => {
  const options = {
    host: '127.0.0.1',
    port: 6379,
    user: '',
    password,
    database: '0',
  }
  let at = 0
  for (; at < words.length && words[at]!.startsWith('-'); at++) {
    const option = words[at]!
    if (option === '-h') options.host = words[++at] ?? ''
    else if (option === '-p') options.port = Number(words[++at])
    else if (option === '-a' || option === '--pass') options.password = words[++at] ?? ''
    else if (option === '--user') options.user = words[++at] ?? ''
    else if (option === '-n') options.database = words[++at] ?? '0'
    else if (option !== '--no-auth-warning' && option !== '--raw')
      throw new Error(`Unrecognized option or bad number of args for: '${option}'`)
  }
  return { ...options, command: words.slice(at) }
}

/** Resolves with whether all commands succeeded. */
const run = async (args: readonly string[], surroundings: RedisSurroundings): Promise<boolean> => {
  const { open, readLines, print, printError, isTerminal, environment } = surroundings
  const { host, port, user, password, database, command } = parseArguments(
    args,
    environment.REDISCLI_AUTH ?? '',
  )
  const connection = await open({ host, port }).catch((error: Error) => {
    const reason = readConnectError(error.message)?.text ?? error.message
    throw new Error(`Could not connect to Redis at ${host}:${port}: ${reason}`)
  })
  let hasSucceeded = true
  const execute = async (words: readonly string[]): Promise<void> => {
    const answer = await connection.send(words)
    if (answer instanceof RedisError) hasSucceeded = false
    print(`${format(answer, !isTerminal)}\n`)
  }
  if (password !== '') {
    const answer = await connection.send(['AUTH', ...(user === '' ? [] : [user]), password])
    if (answer instanceof RedisError) printError(`AUTH failed: ${answer.message}\n`)
  }
  if (database !== '0') await connection.send(['SELECT', database])
  if (command.length > 0) await execute(command)
  else
    for await (const line of readLines()) {
      const words = splitWords(line)
      if (words.length > 0) await execute(words)
    }
  connection.close()
  return hasSucceeded
}

/** Resolves with the exit code. */
export const runRedisCli = (args: readonly string[], surroundings: RedisSurroundings): Promise<number> =>
  run(args, surroundings).then(
    (hasSucceeded) => (hasSucceeded ? 0 : 1),
    (error: Error) => {
      surroundings.printError(`${error.message}\n`)
      return 1
    },
  )
