/**
 * `redis-cli [-h host] [-p port] [-a password] [-n database] [command...]`; reads commands from stdin by
 * default.
 */
import { createInterface } from 'node:readline'
import { openRedisConnection, type RedisConnection, RedisError, Status } from '#world/twin/stores'
import { readConnectError } from '#world/twin/tool-cores'

type Answer = Awaited<ReturnType<RedisConnection['send']>>

const isPlain = !process.stdout.isTTY

const format = (answer: Answer, indent = ''): string => {
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
      isPlain ? format(element) : `${at === 0 ? '' : indent}${at + 1}) ${format(element, `${indent}   `)}`,
    )
    .join('\n')
}

/** Splits at spaces outside quotes. */
const splitWords = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double?.replace(/\\(.)/g, '$1') ?? single ?? bare ?? '',
  )

const parseArguments = (words: readonly string[]) => {
  const options = {
    host: '127.0.0.1',
    port: 6379,
    user: '',
    password: process.env.REDISCLI_AUTH ?? '',
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

const run = async (): Promise<void> => {
  const { host, port, user, password, database, command } = parseArguments(process.argv.slice(2))
  const connection = await openRedisConnection({ address: async () => ({ host, port }) }).catch(
    (error: Error) => {
      const reason = readConnectError(error.message)?.text ?? error.message
      throw new Error(`Could not connect to Redis at ${host}:${port}: ${reason}`)
    },
  )
  const execute = async (words: readonly string[]): Promise<void> => {
    const answer = await connection.send(words)
    if (answer instanceof RedisError) process.exitCode = 1
    console.log(format(answer))
  }
  if (password !== '') {
    const answer = await connection.send(['AUTH', ...(user === '' ? [] : [user]), password])
    if (answer instanceof RedisError) console.error(`AUTH failed: ${answer.message}`)
  }
  if (database !== '0') await connection.send(['SELECT', database])
  if (command.length > 0) await execute(command)
  else
    for await (const line of createInterface({ input: process.stdin })) {
      const words = splitWords(line)
      if (words.length > 0) await execute(words)
    }
  connection.close()
}

run().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
