/** The server of a simulated store. It accepts connections like stores that listen on sockets. */
import type { ProgramHost } from '#spec'
import type { ListeningServer, StoreServerOptions } from '#world/twin/ports'
import { type ServeConnectionsOptions, serveConnections } from '../wire/server-connections.ts'

/** Long enough for active requests. */
const MAX_GRACE_MS = 200

export interface StoreServer {
  readonly port: number
  readonly accept: ServeConnectionsOptions['accept']
  /** Writes pending changes after the last connection has closed. */
  close?(): Promise<void>
}

export const serveStore = (
  host: Pick<ProgramHost, 'network' | 'time'>,
  { slowMs }: Pick<StoreServerOptions, 'slowMs'>,
  { port, accept, close }: StoreServer,
): ListeningServer => {
  const listening = serveConnections({
    host,
    port,
    slowMs,
    defaultGraceMs: 0,
    maxGraceMs: MAX_GRACE_MS,
    closesIdle: false,
    accept,
  })
  return {
    port: listening.port,
    close: async (graceMs) => {
      await listening.close(graceMs)
      await close?.()
    },
  }
}
