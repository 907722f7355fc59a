/** The program of a MySQL pod. */
import type { StartStoreServer } from '../../ports/index.ts'
import { listen } from '../listen.ts'
import { MysqlConversation } from './mysql-conversation.ts'
import { tooManyConnections } from './mysql-error.ts'
import { MysqlServer } from './mysql-server.ts'
import { PacketWriter } from './packets.ts'
import { errorPacket } from './result-packets.ts'

/** Who have not said yet who they are. */
const MOST_STRANGERS = 256

/** Answers as MySQL 5.7 does. */
export const startMysqlServer: StartStoreServer = async (options) => {
  const server = new MysqlServer(options, await import('node:sqlite'))
  await server.storage.open(options.folder, server.firstChanges())
  let lastId = 0
  const listening = await listen(options.port, (socket) => {
    // Who it is, and whether there is room for him, is known later.
    if (server.sessions.size >= server.settings.maxConnections + MOST_STRANGERS) {
      new PacketWriter(socket).send(errorPacket(tooManyConnections()))
      socket.destroySoon()
      return
    }
    lastId += 1
    new MysqlConversation(server, socket, lastId).hold().catch((error: Error) => {
      // A client that speaks something else loses its connection, and nobody else does.
      void server.tell('Warning', `Got an error reading communication packets: ${error.message}`)
      socket.destroy()
    })
  })
  await server.tell('Note', 'mysqld: ready for connections.')
  return {
    port: listening.port,
    close: async (graceMs) => {
      await server.follower?.stop()
      await listening.close(graceMs)
      await server.storage.close()
    },
  }
}
