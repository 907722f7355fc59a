/** Serves Thrift with framed transport and binary protocol; the calls of a connection run in order. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { ListeningServer, ServeOptions } from '#world/twin/ports'
import { EXCEPTION, toApplicationException } from './application-exception.ts'
import { MESSAGE, parseThriftMessage, type ThriftMessage, toThriftFrame } from './binary-protocol.ts'
import { CARRIER_FIELD, MESSAGE_FIELD, SUCCESS_FIELD } from './call-fields.ts'
import { createFrameSplitter } from './frame-splitter.ts'

/** The gRPC status code with which handlers report an unknown method. */
const UNIMPLEMENTED = 12

const handleCall = async (message: ThriftMessage, { handler }: ServeOptions): Promise<ThriftMessage> => {
  const { name, sequence, fields } = message
  const carrier = fields.get(CARRIER_FIELD)
  const text = fields.get(MESSAGE_FIELD)
  let body: unknown = null
  try {
    if (typeof text === 'string') body = JSON.parse(text)
  } catch {
    return toApplicationException(message, EXCEPTION.internalError, 'the message is not JSON')
  }
  const headers = carrier instanceof Map ? Object.fromEntries(carrier) : {}
  const result = await handler({ method: 'RPC', path: name, query: {}, headers, body })
  if (result.status === 0)
    return {
      type: MESSAGE.reply,
      name,
      sequence,
      fields: new Map([[SUCCESS_FIELD, JSON.stringify(result.body ?? null)]]),
    }
  const type = result.status === UNIMPLEMENTED ? EXCEPTION.unknownMethod : EXCEPTION.internalError
  return toApplicationException(message, type, String(result.body ?? ''))
}

/** Maximum number of queued calls on a connection before the server stops reading from it. */
const MAX_PENDING_CALLS = 100

interface Connection {
  readonly socket: Socket
  /** The number of received calls that have not been answered. */
  pending: number
}

const serveConnection = (connection: Connection, options: ServeOptions, onIdle: () => void): void => {
  const { socket } = connection
  let lastCall: Promise<void> = Promise.resolve()
  const handle = async (message: ThriftMessage): Promise<void> => {
    const frame = toThriftFrame(await handleCall(message, options))
    if (message.type !== MESSAGE.oneWay && socket.writable) socket.write(frame)
    connection.pending -= 1
    if (connection.pending === 0) {
      // The server does not read from a client that does not read its answers.
      if (socket.writableNeedDrain) socket.once('drain', () => socket.resume())
      else socket.resume()
      onIdle()
    }
  }
  const split = createFrameSplitter((frame) => {
    const message = parseThriftMessage(frame)
    connection.pending += 1
    if (connection.pending > MAX_PENDING_CALLS) socket.pause()
    lastCall = lastCall.then(() => handle(message))
  })
  socket.on('data', (received) => {
    try {
      split(received)
    } catch {
      socket.destroy()
    }
  })
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    // Later errors concern single connections: the server keeps running.
    server.on('error', reject)
    server.listen(port, () => {
      resolve((server.address() as AddressInfo).port)
    })
  })

export const startThriftServer = async (options: ServeOptions): Promise<ListeningServer> => {
  const connections = new Set<Connection>()
  let isClosing = false
  const server = createServer({ noDelay: true }, (socket) => {
    const connection: Connection = { socket, pending: 0 }
    connections.add(connection)
    socket.on('error', () => {})
    socket.once('close', () => connections.delete(connection))
    serveConnection(connection, options, () => {
      if (isClosing) socket.end()
    })
  })
  const port = await listen(server, options.port)
  return {
    port,
    close: (graceMs = 0) =>
      new Promise((resolve) => {
        isClosing = true
        const force = setTimeout(() => {
          for (const { socket } of connections) socket.destroy()
        }, graceMs)
        server.close(() => {
          clearTimeout(force)
          resolve()
        })
        for (const { socket, pending } of connections) if (pending === 0) socket.end()
      }),
  }
}
