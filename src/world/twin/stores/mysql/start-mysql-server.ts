/** The MySQL server of a pod. */
import type { StartStoreServer } from '#world/twin/ports'
import { listen } from '../listen.ts'
import { tooManyConnections } from './mysql-error.ts'
import { MysqlServer } from './mysql-server.ts'
import { PacketWriter } from './packets.ts'
import { errorPacket } from './result-packets.ts'
import { ServerConnection } from './server-connection.ts'

/** Number of pending logins that may exceed the connection limit. */
const MAX_PENDING_LOGINS = 256

/** Answers as MySQL 5.7 does. */
export const startMysqlServer: StartStoreServer = async (options) => {
  const server = new MysqlServer(options, await import('node:sqlite'))
  await server.storage.open(options.folder, server.initialChanges())
  let lastId = 0
  const listening = await listen(options.port, (socket) => {
    // The connection limit is checked after the login, when the user is known.
    if (server.sessions.size >= server.settings.maxConnections + MAX_PENDING_LOGINS) {
      new PacketWriter(socket).send(errorPacket(tooManyConnections()))
      socket.destroySoon()
      return
    }
    lastId += 1
    new ServerConnection(server, socket, lastId).serve().catch((error: Error) => {
      // A malformed packet closes only its own connection.
      void server.log('Warning', `Got an error reading communication packets: ${error.message}`)
      socket.destroy()
    })
  })
  await server.log('Note', 'mysqld: ready for connections.')
  return {
    port: listening.port,
    close: async (graceMs) => {
      await server.follower?.stop()
      await listening.close(graceMs)
      await server.storage.close()
    },
  }
}
