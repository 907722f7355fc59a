/** The program of a Redis pod. */
import type { Socket } from 'node:net'
import type { ListeningServer, StartStoreServer, StoreServerOptions } from '../../ports/index.ts'
import { listen } from '../listen.ts'
import { RedisServer } from './redis-server.ts'
import { encodeReply, RedisError, type Reply, RespReader } from './resp.ts'
import { isWrite, runCommand } from './run-command.ts'
import type { Session } from './session.ts'

interface Done {
  readonly words: readonly string[]
  readonly reply: Reply
  readonly startedAt: number
}

/** The answer to what a bad release cannot do. */
const BROKEN = new RedisError('ERR internal error')

/** Runs all whole commands that have come, and gives their answers together, when the disk has what they changed. */
const answerAll = async (
  server: RedisServer,
  options: StoreServerOptions,
  session: Session,
  reader: RespReader,
): Promise<string> => {
  const done: Done[] = []
  let mistake: RedisError | undefined
  try {
    for (let words = reader.nextCommand(); words !== undefined; words = reader.nextCommand()) {
      if (words.length === 0) continue
      const startedAt = performance.now()
      const broken = options.fails?.(words[0]!.toUpperCase()) === true
      done.push({ words, startedAt, reply: broken ? BROKEN : runCommand(server, session, words) })
    }
  } catch (error) {
    if (!(error instanceof RedisError)) throw error
    mistake = error
    session.leaving = true
  }
  const failure = await server.data.settle().then(
    () => undefined,
    (error: RedisError) => error,
  )
  server.commands += done.length
  const replies = done.map(({ words, reply, startedAt }) => {
    const told = failure !== undefined && isWrite(words) && !(reply instanceof RedisError) ? failure : reply
    const problem = told instanceof RedisError ? told.message : undefined
    options.onCommand(words[0]!.toUpperCase(), performance.now() - startedAt, problem)
    return told
  })
  return [...replies, ...(mistake === undefined ? [] : [mistake])].map(encodeReply).join('')
}

const serve = (server: RedisServer, options: StoreServerOptions, session: Session, socket: Socket): void => {
  const reader = new RespReader()
  let busy = false
  let waiting = false
  const work = async (): Promise<void> => {
    waiting = true
    if (busy) return
    busy = true
    while (waiting && !session.leaving) {
      waiting = false
      socket.write(await answerAll(server, options, session, reader), 'latin1')
    }
    busy = false
    if (session.leaving) socket.end()
  }
  socket.on('data', (chunk) => {
    reader.push(chunk)
    void work()
  })
}

/** Answers as Redis does, over version 2 of its protocol. */
export const startRedisServer: StartStoreServer = async (options): Promise<ListeningServer> => {
  const server = new RedisServer(options)
  if (options.folder !== undefined) await server.data.open(options.folder, options.log)
  let lastId = 0
  const listening = await listen(options.port, (socket) => {
    if (server.sessions().length >= server.maxClients) {
      socket.end('-ERR max number of clients reached\r\n')
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
      leaving: false,
    }
    server.enter(session, () => socket.destroy())
    socket.once('close', () => server.leave(session))
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
