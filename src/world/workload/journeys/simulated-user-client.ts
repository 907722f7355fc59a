/** The client of users of a simulated cluster: its requests are messages to programs in this process. */
import type { Clock } from '#kit'
import type { EngineCluster, OpenEntryPoint } from '#spec'
import { createProgramExchange } from './program-exchange.ts'
import { createClientOver, type UserClient } from './user-client.ts'
import { createUserConnections, type UserConnections } from './user-connections.ts'

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
  const byOrigin = new Map<string, UserConnections>(
    entryPoints.map(({ name, url }) => [
      new URL(url).origin,
      createUserConnections({ clock, maxConnections: connections, connect: () => connectUser(name) }),
    ]),
  )
  const connectionsTo = (origin: string): UserConnections => {
    const found = byOrigin.get(origin)
    if (found === undefined) throw new Error(`there is no entry point at ${origin}`)
    return found
  }
  return {
    ...createClientOver(createProgramExchange(connectionsTo), clock),
    close() {
      for (const { close } of byOrigin.values()) close()
    },
  }
}
