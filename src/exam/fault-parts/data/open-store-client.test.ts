/** Tests the choice of a store's client by the kind of connection to its pod. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { startStore } from '#exam/testing'
import type { PodConnection, ProgramConnection } from '#spec'
import { closePodConnection, openStoreClient } from './open-store-client.ts'

const ADDRESS = { host: 'cart', port: 6379 }

it('speaks the protocol of the store over a socket', async () => {
  const { port } = await startStore('redis', {})
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const connection: PodConnection = { kind: 'socket', socket }
  const client = await openStoreClient(connection, { protocol: 'redis', address: ADDRESS, login: undefined })
  await client.query({ redis: ['SET', 'a', 'b'] })
  expect(await client.query({ redis: ['GET', 'a'] })).toBe('b')
  client.close()
  closePodConnection(connection)
  expect(socket.destroyed).toBe(true)
})

it('sends messages to a store inside the engine', async () => {
  let requests = 0
  const program = {
    isClosed: false,
    async exchange() {
      requests += 1
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    },
    close() {
      this.isClosed = true
    },
  }
  const connection: PodConnection = {
    kind: 'messages',
    connection: program as unknown as ProgramConnection,
  }
  const client = await openStoreClient(connection, { protocol: 'redis', address: ADDRESS, login: undefined })
  await expect(client.query({ redis: ['GET', 'a'] })).rejects.toMatchObject({ kind: 'reset' })
  expect(requests).toBe(1)
  closePodConnection(connection)
  expect(program.isClosed).toBe(true)
})
