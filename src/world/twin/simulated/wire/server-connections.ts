/** The connections of a simulated server, and its graceful end. */
import type { AcceptConnection, AcceptedConnection, ProgramHost, ProgramMessage } from '#spec'
import { type ListeningServer, sleep } from '#world/twin/ports'

/** One connection and the requests that it waits for. */
interface OpenConnection {
  readonly accepted: AcceptedConnection
  pending: number
}

export interface ServerContext {
  /** The port of the client, which only the server uses. */
  readonly clientPort: number
  /** Whether the server is stopping. */
  isClosing(): boolean
}

/** The first port that is assigned to clients. */
const FIRST_CLIENT_PORT = 32_768
const CLIENT_PORTS = 28_232

export interface ServeConnectionsOptions {
  readonly host: Pick<ProgramHost, 'network' | 'time'>
  readonly port: number
  /** The default grace period of `close`. */
  readonly defaultGraceMs: number
  readonly maxGraceMs?: number
  /** Delays each request, as a slow release does. */
  readonly slowMs?: number | undefined
  /** Whether the server closes idle connections at once when it stops, as servers of services do. */
  readonly closesIdle: boolean
  /** A rejection closes the connection. */
  accept(
    connection: AcceptedConnection,
    context: ServerContext,
  ): (request: ProgramMessage) => Promise<ProgramMessage>
}

/** Throws an error of code `EADDRINUSE` if the port is in use. */
export const serveConnections = (options: ServeConnectionsOptions): ListeningServer => {
  const { time, network } = options.host
  const { slowMs } = options
  const open = new Set<OpenConnection>()
  let isClosing = false
  let accepts = 0
  let onEmpty: (() => void) | undefined

  /** After the answer, which is sent when the current reactions have ended. */
  const closeSoon = ({ accepted }: OpenConnection): void => void time.after(0, () => accepted.close())
  const finish = (connection: OpenConnection): void => {
    connection.pending -= 1
    if (isClosing && options.closesIdle && connection.pending === 0) closeSoon(connection)
  }
  const accept: AcceptConnection = (accepted) => {
    const connection: OpenConnection = { accepted, pending: 0 }
    open.add(connection)
    accepted.onClose(() => {
      open.delete(connection)
      if (open.size === 0) onEmpty?.()
    })
    const clientPort = FIRST_CLIENT_PORT + (accepts++ % CLIENT_PORTS)
    const handle = options.accept(accepted, { clientPort, isClosing: () => isClosing })
    return async (request) => {
      connection.pending += 1
      try {
        if (slowMs !== undefined) await sleep(time, slowMs)
        return await handle(request)
      } finally {
        finish(connection)
      }
    }
  }
  const listener = network.listen(options.port, accept)

  const close = (graceMs = options.defaultGraceMs): Promise<void> =>
    new Promise((resolve) => {
      isClosing = true
      listener.close()
      const cancel = time.after(Math.min(graceMs, options.maxGraceMs ?? graceMs), () => {
        for (const { accepted } of [...open]) accepted.close()
      })
      onEmpty = () => {
        cancel()
        resolve()
      }
      if (options.closesIdle)
        for (const { accepted, pending } of [...open]) if (pending === 0) accepted.close()
      if (open.size === 0) onEmpty()
    })
  return { port: listener.port, close }
}
