/** The Redis server of a pod. */
import type { Socket } from 'node:net'
import type { ListeningServer, StartStoreServer } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { processHost } from '../process-host.ts'
import { processInput } from '../process-input.ts'
import {
  answerCommands,
  type ExecutedCommand,
  type RedisService,
  startCommand,
  TOO_MANY_CLIENTS,
} from './answer-commands.ts'
import { RedisServer } from './redis-server.ts'
import { encodeReply, RedisError, RespReader } from './resp.ts'
import type { Session } from './session.ts'

/** Replies are sent once they reach this size, before more commands run. */
const MAX_BATCH_CHARACTERS = 1024 * 1024

interface EncodedCommand extends ExecutedCommand {
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

/** Runs the complete commands received so far, until their replies reach a size limit. */
const runCommands = (service: RedisService, session: Session, reader: RespReader): EncodedCommand[] => {
  const ran: EncodedCommand[] = []
  for (let characters = 0; characters < MAX_BATCH_CHARACTERS && !session.isClosing; ) {
    const words = nextCommand(reader, ran.length === 0)
    if (words === undefined) break
    if (words.length === 0) continue
    const command = startCommand(service, session, words)
    const text = encodeReply(command.reply)
    characters += text.length + 1
    ran.push({ ...command, text })
  }
  return ran
}

/** Sends the replies together once the changes are in the file. */
const serve = (service: RedisService, session: Session, socket: Socket): void => {
  const reader = new RespReader()
  const sendAndClose = (last = ''): void => {
    session.isClosing = true
    socket.write(last, 'latin1')
    socket.destroySoon()
  }
  const processNext = async (): Promise<boolean> => {
    const ran = runCommands(service, session, reader)
    if (ran.length === 0) return false
    const replies = await answerCommands(service, ran)
    const texts = ran.map(({ reply, text }, at) => (replies[at] === reply ? text : encodeReply(replies[at]!)))
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
  const server = new RedisServer(options, processHost)
  await server.open()
  const service: RedisService = { server, options, time: processHost.time }
  const listening = await listen(options.port, (socket) => {
    const address = `${socket.remoteAddress}:${socket.remotePort}`
    const session = server.openSession(address, () => socket.destroy())
    if (session === undefined) {
      socket.write(encodeReply(TOO_MANY_CLIENTS))
      socket.destroySoon()
      return
    }
    socket.once('close', () => server.removeSession(session))
    serve(service, session, socket)
  })
  server.announce()
  return {
    port: listening.port,
    close: async (graceMs) => {
      await listening.close(graceMs)
      await server.data.close()
    },
  }
}
