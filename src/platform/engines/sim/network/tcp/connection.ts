/** A TCP connection between two programs: requests of the client, each with one answer of the server. */
import type { AcceptedConnection, ProgramConnection, ProgramMessage } from '#spec'
import { LATENCY_MS } from '../constants.ts'
import type { Listener, Process, ProcessPart } from '../model/endpoint.ts'
import type { NetworkState } from '../model/network-state.ts'
import { readError } from '../network-error.ts'
import { pathOf } from '../paths/path-of.ts'
import type { Route } from '../paths/route.ts'
import { createFlight, type Exchange, type Flight } from './flight.ts'
import { sendFlight } from './send-flight.ts'
import { createSender, endSender, type Sender } from './sender.ts'

/** One end of a connection. */
interface Side extends ProcessPart {
  readonly process: Process
  /** The direction to the other end. */
  readonly sender: Sender
  isOpen: boolean
  readonly closeListeners: (() => void)[]
}

interface Connection {
  readonly network: NetworkState
  readonly client: Side
  readonly server: Side
  /** Requests without an answer, in order. */
  readonly pending: Set<Exchange>
  /** The function of the server that answers requests. */
  answer: ((request: ProgramMessage) => Promise<ProgramMessage>) | undefined
}

/** Marks the side as closed, and notifies its program unless it has ended. */
const finishSide = (connection: Connection, side: Side, code: string): void => {
  side.isOpen = false
  side.process.parts.delete(side)
  const pending = side === connection.client ? [...connection.pending] : []
  for (const exchange of pending) connection.pending.delete(exchange)
  if (side.process.isEnded) return
  for (const exchange of pending) exchange.reject(readError(code))
  for (const listener of side.closeListeners.splice(0)) listener()
}

/** Closes the side on behalf of its program. The other side is closed after it has received all earlier messages. */
const closeSide = (connection: Connection, side: Side): void => {
  if (!side.isOpen) return
  sendFlight(connection.network, side.sender, createFlight(0))
  finishSide(connection, side, 'ECONNRESET')
}

/** The connection has ended for this side: the other side closed it, or does not respond. */
const loseSide = (connection: Connection, side: Side, code: string): void => {
  endSender(side.sender)
  if (side.isOpen) finishSide(connection, side, code)
}

/** The operating system of the server resets a connection that it has already given up. */
const resetClient = (connection: Connection): void => {
  const { network, client, server } = connection
  // Otherwise the end of the connection is in transit.
  if (server.sender.isEnded && pathOf(network, server.sender.route).verdict === 'open')
    network.clock.after(LATENCY_MS, () => loseSide(connection, client, 'ECONNRESET'))
}

const serveRequest = (connection: Connection, exchange: Exchange, request: ProgramMessage): void => {
  const { network, server } = connection
  if (!server.isOpen) {
    resetClient(connection)
    return
  }
  const reply = (answer: ProgramMessage): void => {
    if (server.isOpen) sendFlight(network, server.sender, createFlight(answer.bytes, exchange, answer))
  }
  try {
    connection.answer!(request).then(reply, () => closeSide(connection, server))
  } catch {
    closeSide(connection, server)
  }
}

const receiveByServer = (connection: Connection, { exchange, message }: Flight): void => {
  if (exchange === undefined) {
    endSender(connection.client.sender)
    loseSide(connection, connection.server, 'ECONNRESET')
  } else serveRequest(connection, exchange, message!)
}

const receiveByClient = (connection: Connection, { exchange, message }: Flight): void => {
  if (exchange === undefined) {
    endSender(connection.server.sender)
    loseSide(connection, connection.client, 'ECONNRESET')
  } else if (connection.pending.delete(exchange)) exchange.resolve(message!)
}

const createSide = (
  connection: () => Connection,
  process: Process,
  which: 'client' | 'server',
  { network, route, back }: { network: NetworkState; route: Route; back: Route },
): Side => {
  const receive = which === 'client' ? receiveByServer : receiveByClient
  const side: Side = {
    process,
    sender: createSender({
      network,
      route,
      back,
      receive: (flight) => receive(connection(), flight),
      fail: (code) => loseSide(connection(), side, code),
    }),
    isOpen: true,
    closeListeners: [],
    end() {
      // The operating system closes the sockets of a program that has ended.
      closeSide(connection(), side)
    },
  }
  process.parts.add(side)
  return side
}

const onClose = (side: Side, listener: () => void): void => {
  if (side.isOpen) side.closeListeners.push(listener)
  else listener()
}

const acceptedBy = (connection: Connection, side: Side): AcceptedConnection => ({
  from: side.sender.back.source,
  onClose: (listener) => onClose(side, listener),
  close: () => closeSide(connection, side),
})

const openedBy = (connection: Connection, side: Side): ProgramConnection => ({
  address: side.sender.route.to.address,
  get isClosed() {
    return !side.isOpen
  },
  exchange: (request) =>
    new Promise((resolve, reject) => {
      if (side.process.isEnded) return
      if (!side.isOpen) {
        reject(readError('ECONNRESET'))
        return
      }
      const exchange = { resolve, reject }
      connection.pending.add(exchange)
      sendFlight(connection.network, side.sender, createFlight(request.bytes, exchange, request))
    }),
  onClose: (listener) => onClose(side, listener),
  close: () => closeSide(connection, side),
})

export interface ConnectionOptions {
  readonly network: NetworkState
  readonly client: Process
  readonly listener: Listener
  /** The routes from the client to the server and back. */
  readonly out: Route
  readonly back: Route
}

/** Opens the connection, which the server accepts. */
export const openConnection = (options: ConnectionOptions): ProgramConnection => {
  const { network, client, listener, out, back } = options
  const self = (): Connection => connection
  const connection: Connection = {
    network,
    client: createSide(self, client, 'client', { network, route: out, back }),
    server: createSide(self, listener.process, 'server', { network, route: back, back: out }),
    pending: new Set(),
    answer: undefined,
  }
  try {
    connection.answer = listener.accept(acceptedBy(connection, connection.server))
  } catch {
    closeSide(connection, connection.server)
  }
  return openedBy(connection, connection.client)
}
