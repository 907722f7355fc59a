/** The Redis server of a pod. */
import type { Socket } from 'node:net'
import type { ListeningServer, StartStoreServer, StoreServerOptions } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { processInput } from '../process-input.ts'
import { RedisServer } from './redis-server.ts'
import { encodeReply, RedisError, type Reply, RespReader } from './resp.ts'
import { isWrite, runCommand } from './run-command.ts'
import type { Session } from './session.ts'

/** Replies are sent once they reach this size, before more commands run. */
const MAX_BATCH_CHARACTERS = 1024 * 1024

interface CompletedCommand {
  readonly words: readonly string[]
  readonly reply: Reply
  readonly startedAt: number
  /** The encoded reply. */
  readonly text: string
}

/** Returns the next command. An error is deferred until the commands before it are answered. */
const nextCommand = (reader: RespReader, isFirst: boolean): readonly string[] | undefined => {
  try {
    return reader.nextCommand()
  } catch (error) {
    if (isFirst) throw error
    return undefined
  }
}

/** The reply to a command that fails because of a defect in the release. */
const INTERNAL_ERROR = new RedisError('ERR internal error')

/** Runs the complete commands received so far, until their replies reach a size limit. */
const runCommands = (
  server: RedisServer,
  { fails }: StoreServerOptions,
  session: Session,
  reader: RespReader,
): CompletedCommand[] => {
  const completed: CompletedCommand[] = []
  for (let characters = 0; characters < MAX_BATCH_CHARACTERS && !session.isClosing; ) {
    const words = nextCommand(reader, completed.length === 0)
    if (words === undefined) break
    if (words.length === 0) continue
    const startedAt = performance.now()
    const isFailing = fails?.(words[0]!.toUpperCase()) === true
    const reply = isFailing ? INTERNAL_ERROR : runCommand(server, session, words)
    const text = encodeReply(reply)
    characters += text.length + 1
    completed.push({ words, reply, startedAt, text })
  }
  return completed
}

/** Sends the replies together once the changes are in the file. */
const serve = (server: RedisServer, options: StoreServerOptions, session: Session, socket: Socket): void => {
  const reader = new RespReader()
  const sendAndClose = (last = ''): void => {
    session.isClosing = true
    socket.write(last, 'latin1')
    socket.destroySoon()
  }
  const processNext = async (): Promise<boolean> => {
    const completed = runCommands(server, options, session, reader)
    if (completed.length === 0) return false
    const failure = await server.data.settle().then(
      () => undefined,
      (error: RedisError) => error,
    )
    server.commands += completed.length
    const texts = completed.map(({ words, reply, startedAt, text }) => {
      const isUnsaved = failure !== undefined && isWrite(words) && !(reply instanceof RedisError)
      const outcome = isUnsaved ? failure : reply
      const failureText = outcome instanceof RedisError ? outcome.message : undefined
      options.onCommand(words[0]!.toUpperCase(), performance.now() - startedAt, failureText)
      return isUnsaved ? encodeReply(failure) : text
    })
    if (session.isClosing) sendAndClose(texts.join(''))
    else socket.write(texts.join(''), 'latin1')
    return true
  }
  processInput(socket, {
    receive: (chunk) => reader.push(chunk),
    processNext,
    onMalformed: (error) => sendAndClose(error instanceof RedisError ? encodeReply(error) : ''),
  })
}

/** Answers as Redis does over version 2 of its protocol. */
export const startRedisServer: StartStoreServer = async (options): Promise<ListeningServer> => {
  const server = new RedisServer(options)
  if (options.folder !== undefined) await server.data.open(options.folder, options.log)
  let lastId = 0
  const listening = await listen(options.port, (socket) => {
    if (server.sessions().length >= server.maxClients) {
      socket.write('-ERR max number of clients reached\r\n')
      socket.destroySoon()
      return
    }
    const session: Session = {
      id: ++lastId,
      address: `${socket.remoteAddress}:${socket.remotePort}`,
      since: Date.now(),
      user: undefined,
      database: 0,
      lastCommand: 'NULL',
      queue: undefined,
      isClosing: false,
    }
    server.addSession(session, () => socket.destroy())
    socket.once('close', () => server.removeSession(session))
    serve(server, options, session, socket)
  })
  options.log('info', 'Ready to accept connections')
  return {
    port: listening.port,
    close: async (graceMs) => {
      await listening.close(graceMs)
      await server.data.close()
    },
  }
}
