/** The program of a Redis pod. */
import type { Socket } from 'node:net'
import type { ListeningServer, StartStoreServer, StoreServerOptions } from '../../ports/index.ts'
import { listen } from '../listen.ts'
import { takeTurns } from '../take-turns.ts'
import { RedisServer } from './redis-server.ts'
import { encodeReply, RedisError, type Reply, RespReader } from './resp.ts'
import { isWrite, runCommand } from './run-command.ts'
import type { Session } from './session.ts'

/** Answers of so many letters go out before more commands are run. */
const BATCH = 1024 * 1024

interface Done {
  readonly words: readonly string[]
  readonly reply: Reply
  readonly startedAt: number
  /** The reply as it goes out. */
  readonly text: string
}

/** What was said before a mistake is done and answered; then it is thrown. */
const nextCommand = (reader: RespReader, isFirst: boolean): readonly string[] | undefined => {
  try {
    return reader.nextCommand()
  } catch (error) {
    if (isFirst) throw error
    return undefined
  }
}

/** The answer to what a bad release cannot do. */
const BROKEN = new RedisError('ERR internal error')

/** Runs the whole commands that have come, up to a bound on what they answer. */
const runAll = (
  server: RedisServer,
  { fails }: StoreServerOptions,
  session: Session,
  reader: RespReader,
): Done[] => {
  const done: Done[] = []
  for (let letters = 0; letters < BATCH && !session.leaving; ) {
    const words = nextCommand(reader, done.length === 0)
    if (words === undefined) break
    if (words.length === 0) continue
    const startedAt = performance.now()
    const broken = fails?.(words[0]!.toUpperCase()) === true
    const reply = broken ? BROKEN : runCommand(server, session, words)
    const text = encodeReply(reply)
    letters += text.length + 1
    done.push({ words, reply, startedAt, text })
  }
  return done
}

/** Gives the answers together, when the disk has what was changed. */
const serve = (server: RedisServer, options: StoreServerOptions, session: Session, socket: Socket): void => {
  const reader = new RespReader()
  const leave = (last = ''): void => {
    session.leaving = true
    socket.write(last, 'latin1')
    socket.destroySoon()
  }
  const work = async (): Promise<boolean> => {
    const done = runAll(server, options, session, reader)
    if (done.length === 0) return false
    const failure = await server.data.settle().then(
      () => undefined,
      (error: RedisError) => error,
    )
    server.commands += done.length
    const texts = done.map(({ words, reply, startedAt, text }) => {
      const isLost = failure !== undefined && isWrite(words) && !(reply instanceof RedisError)
      const told = isLost ? failure : reply
      const problem = told instanceof RedisError ? told.message : undefined
      options.onCommand(words[0]!.toUpperCase(), performance.now() - startedAt, problem)
      return isLost ? encodeReply(failure) : text
    })
    if (session.leaving) leave(texts.join(''))
    else socket.write(texts.join(''), 'latin1')
    return true
  }
  takeTurns(socket, {
    take: (chunk) => reader.push(chunk),
    work,
    failed: (error) => leave(error instanceof RedisError ? encodeReply(error) : ''),
  })
}

/** Answers as Redis does, over version 2 of its protocol. */
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
