/** The MySQL server of a pod. */
import type { StartStoreServer } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { processHost } from '../process-host.ts'
import { openClientSession } from './client-session.ts'
import { tooManyConnections } from './mysql-error.ts'
import { MysqlServer } from './mysql-server.ts'
import { openMysqlConnection } from './open-mysql-connection.ts'
import { PacketWriter } from './packets.ts'
import { errorPacket } from './result-packets.ts'
import { ServerConnection } from './server-connection.ts'

/** Answers as MySQL 5.7 does. */
export const startMysqlServer: StartStoreServer = async (options) => {
  const sqlite = await import('node:sqlite')
  const server = new MysqlServer(options, { sqlite, host: processHost, openLeader: openMysqlConnection })
  await server.open()
  const listening = await listen(options.port, (socket) => {
    const session = openClientSession(server, socket.remoteAddress ?? '', () => socket.destroy())
    if (session === undefined) {
      new PacketWriter(socket).send(errorPacket(tooManyConnections()))
      socket.destroySoon()
      return
    }
    new ServerConnection(server, socket, session).serve().catch((error: Error) => {
      // A malformed packet closes only its own connection.
      void server.log('Warning', `Got an error reading communication packets: ${error.message}`)
      socket.destroy()
    })
  })
  await server.announce()
  return {
    port: listening.port,
    close: async (graceMs) => {
      await server.follower?.stop()
      await listening.close(graceMs)
      await server.storage.close()
    },
  }
}
