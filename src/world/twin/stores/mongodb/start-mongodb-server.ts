/**
 * A server that speaks the MongoDB wire protocol, keeps documents in a folder and requires logins as mongod
 * does.
 */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { ListeningServer, StoreServerOptions } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { processHost } from '../process-host.ts'
import { processInput } from '../process-input.ts'
import type { Session } from './commands/command.ts'
import type { MongodSettings } from './mongod-settings.ts'
import { MongodbServer } from './mongodb-server.ts'
import { processScram } from './process-scram.ts'
import { createMessageReader, toLegacyReply, toMessage, type WireMessage } from './wire-message.ts'

const TLS_HANDSHAKE = 0x16

type AcceptTls = (socket: Socket) => Socket

/** Loads the TLS module on demand, because most servers run without TLS. */
const loadTls = async ({
  requireTls,
  certificateKeyFile,
}: MongodSettings): Promise<AcceptTls | undefined> => {
  if (!requireTls || certificateKeyFile === undefined) return undefined
  const { createSecureContext, TLSSocket } = await import('node:tls')
  const pem = readFileSync(certificateKeyFile)
  const secureContext = createSecureContext({ cert: pem, key: pem })
  return (socket) => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext })
    // The client reports the failed handshake.
    secured.on('error', () => socket.destroy())
    return secured
  }
}

/** The sockets of a server. */
class SocketFront {
  readonly #server: MongodbServer
  readonly #acceptTls: AcceptTls | undefined
  #requests = 0

  constructor(server: MongodbServer, acceptTls: AcceptTls | undefined) {
    this.#server = server
    this.#acceptTls = acceptTls
  }

  accept(socket: Socket): void {
    const session = this.#server.openSession(`${socket.remoteAddress}:${socket.remotePort}`)
    if (session === undefined) {
      socket.destroy()
      return
    }
    socket.on('close', () => this.#server.closeSession(session))
    if (this.#server.settings.requireTls) this.#requireTls(socket, session)
    else this.#serve(socket, session)
  }

  /** Detects TLS by the first byte of a connection, and closes connections without TLS. */
  #requireTls(socket: Socket, session: Session): void {
    socket.once('data', (chunk) => {
      if (chunk[0] === TLS_HANDSHAKE && this.#acceptTls) {
        socket.pause()
        socket.unshift(chunk)
        this.#serve(this.#acceptTls(socket), session)
        return
      }
      this.#server.log.missingTls(session)
      socket.destroy()
    })
  }

  #serve(socket: Socket, session: Session): void {
    const read = createMessageReader()
    const messages: WireMessage[] = []
    processInput(socket, {
      receive: (chunk) => {
        messages.push(...read(chunk))
      },
      processNext: async () => {
        const message = messages.shift()
        if (message === undefined) return false
        await this.#answer(socket, session, message)
        return true
      },
      onMalformed: ({ message }) => {
        this.#server.log.malformedInput(session, message)
        socket.destroy()
      },
    })
  }

  async #answer(socket: Socket, session: Session, message: WireMessage): Promise<void> {
    const reply = await this.#server.run(session, message.body)
    if (message.expectsNoReply || socket.destroyed) return
    this.#requests = (this.#requests + 1) % 0x7fffffff
    const encode = message.isLegacy ? toLegacyReply : toMessage
    socket.write(encode(this.#requests, message.requestId, reply))
  }
}

/** Rejects if the folder or the port cannot be used. */
export const startMongodbServer = async (options: StoreServerOptions): Promise<ListeningServer> => {
  const server = new MongodbServer(options, processHost, processScram)
  const front = new SocketFront(server, await loadTls(server.settings))
  await server.open()
  const host = server.isLocal ? '127.0.0.1' : undefined
  const listening = await listen(server.port, (socket) => front.accept(socket), host)
  server.announce(listening.port)
  return {
    port: listening.port,
    close: async (graceMs) => {
      await listening.close(graceMs)
      await server.close()
    },
  }
}
