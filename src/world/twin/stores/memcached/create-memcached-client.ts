/** The memcached client of a twin over sockets. */
import type { Socket } from 'node:net'
import { CallFailure, type StoreClient, type StoreClientOptions, toCallFailure } from '#world/twin/ports'
import { openSocket } from '../open-socket.ts'
import { processHost } from '../process-host.ts'
import {
  CLOSED_BY_CLIENT,
  CLOSED_BY_SERVER,
  createClientOver,
  type MemcachedConnection,
  type TextCommand,
} from './memcached-client-over.ts'

/** Returns the length of a complete response in characters, or undefined if it is incomplete. */
type Measure = (text: string) => number | undefined

const measureLine: Measure = (text) => {
  const end = text.indexOf('\r\n')
  return end < 0 ? undefined : end + 2
}

/** Measures any number of `VALUE key flags length` lines with their data, followed by `END`. */
const measureValues: Measure = (text) => {
  let at = 0
  for (;;) {
    const end = text.indexOf('\r\n', at)
    if (end < 0) return undefined
    const line = text.slice(at, end)
    if (!line.startsWith('VALUE ')) return end + 2
    at = end + 2 + Number(line.split(' ')[3]) + 2
  }
}

class SocketConnection implements MemcachedConnection {
  closed = false
  readonly #socket: Socket
  #text = ''
  #waiting: { measure: Measure; resolve(text: string): void; reject(failure: CallFailure): void } | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#text += chunk.toString('latin1')
      const length = this.#waiting?.measure(this.#text)
      if (length === undefined) return
      this.#waiting?.resolve(this.#text.slice(0, length))
      this.#text = this.#text.slice(length)
      this.#waiting = undefined
    })
    socket.once('error', (error) => this.#end(toCallFailure(error)))
    socket.once('close', () => this.#end(new CallFailure('reset', CLOSED_BY_SERVER)))
  }

  send({ line, data, returnsValues }: TextCommand): Promise<string> {
    if (this.closed) return Promise.reject(new CallFailure('reset', CLOSED_BY_CLIENT))
    return new Promise((resolve, reject) => {
      this.#waiting = { measure: returnsValues ? measureValues : measureLine, resolve, reject }
      this.#socket.write(data === undefined ? `${line}\r\n` : `${line}\r\n${data}\r\n`, 'latin1')
    })
  }

  close(): void {
    this.closed = true
    this.#socket.destroy()
  }

  #end(failure: CallFailure): void {
    this.closed = true
    this.#waiting?.reject(failure)
    this.#waiting = undefined
  }
}

export const createMemcachedClient = (options: StoreClientOptions): StoreClient =>
  createClientOver(options, processHost, async () => new SocketConnection(await openSocket(options)))
