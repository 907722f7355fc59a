/** The client of users of a simulated cluster: its requests are messages to programs in this process. */
import type { Clock } from '#kit'
import type { EngineCluster, OpenEntryPoint } from '#spec'
import { createConnectionPool } from './connection-pool.ts'
import { createProgramExchange } from './program-exchange.ts'
import { createClientOver, type UserClient } from './user-client.ts'

export type ConnectUser = NonNullable<EngineCluster['connectUser']>

export interface SimulatedUserClientOptions {
  readonly clock: Clock
  readonly entryPoints: readonly OpenEntryPoint[]
  readonly connectUser: ConnectUser
  /** Limits the concurrent connections to one entry point; further requests wait. */
  readonly connections?: number | undefined
}

export const createSimulatedUserClient = (options: SimulatedUserClientOptions): UserClient => {
  const { clock, entryPoints, connectUser, connections = Number.POSITIVE_INFINITY } = options
  const names = new Map(entryPoints.map(({ name, url }) => [new URL(url).origin, name]))
  const pool = createConnectionPool({
    clock,
    maxConnections: connections,
    connect: async (origin) => connectUser(names.get(origin)!),
  })
  return { ...createClientOver(createProgramExchange(pool), clock), close: pool.close }
}
