/** Runs commands of a client, and answers them when their changes are in the file. */
import type { StoreServerOptions } from '#world/twin/ports'
import type { StoreHost } from '../store-host.ts'
import type { RedisServer } from './redis-server.ts'
import { OK, RedisError, type Reply } from './resp.ts'
import { isFileCheck, isWrite, runCommand } from './run-command.ts'
import type { Session } from './session.ts'

export interface ExecutedCommand {
  readonly words: readonly string[]
  readonly reply: Reply
  /** Monotonic milliseconds. */
  readonly startedAt: number
}

/** The reply to a command that fails because of a defect in the release. */
const INTERNAL_ERROR = new RedisError('ERR internal error')

const CHANGED_FILE = new RedisError('ERR the AOF file has other content than the dataset')

/** The reply to a new client if there are too many connections. */
export const TOO_MANY_CLIENTS = new RedisError('ERR max number of clients reached')

export interface RedisService {
  readonly server: RedisServer
  readonly options: Pick<StoreServerOptions, 'fails' | 'onCommand'>
  readonly time: StoreHost['time']
}

export const startCommand = (
  { server, options, time }: RedisService,
  session: Session,
  words: readonly string[],
): ExecutedCommand => {
  const startedAt = time.monotonic()
  const isFailing = options.fails?.(words[0]!.toUpperCase()) === true
  return { words, startedAt, reply: isFailing ? INTERNAL_ERROR : runCommand(server, session, words) }
}

/** Resolves with the replies. A change that could not be saved is answered with the reason. */
export const answerCommands = async (
  { server, options, time }: RedisService,
  commands: readonly ExecutedCommand[],
): Promise<readonly Reply[]> => {
  const failure = await server.data.settle().then(
    () => undefined,
    (error: RedisError) => error,
  )
  server.commands += commands.length
  const isFileChanged = commands.some(({ words }) => isFileCheck(words)) && !(await server.data.isIntact())
  return commands.map(({ words, reply, startedAt }) => {
    const isUnsaved = failure !== undefined && isWrite(words) && !(reply instanceof RedisError)
    const checked = isFileChanged && isFileCheck(words) && reply === OK ? CHANGED_FILE : reply
    const outcome = isUnsaved ? failure : checked
    const failureText = outcome instanceof RedisError ? outcome.message : undefined
    options.onCommand(words[0]!.toUpperCase(), time.monotonic() - startedAt, failureText)
    return outcome
  })
}
