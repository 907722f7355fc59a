/** Tests the choice of a store's client by the kind of connection to its pod. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { startStore } from '#exam/testing'
import type { PodConnection, ProgramConnection } from '#spec'
import type { StoreClient } from '#world/twin/stores'
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
  const messages: unknown[] = []
  const program = {
    isClosed: false,
    exchange: async ({ content }) => {
      messages.push(content)
      return { content: 'b', bytes: 1 }
    },
    close() {
      this.isClosed = true
    },
  } as { -readonly [Key in keyof ProgramConnection]?: ProgramConnection[Key] } as ProgramConnection
  const connection: PodConnection = { kind: 'messages', connection: program }
  const login = { user: 'root', password: '' }
  const createClient = (given: ProgramConnection, user: unknown): StoreClient => ({
    query: async (command) => (await given.exchange({ content: [user, command], bytes: 1 })).content,
    close() {},
  })
  const request = { protocol: 'redis', address: ADDRESS, login }
  const client = await openStoreClient(connection, request, { redis: async () => createClient })
  expect(await client.query({ redis: ['GET', 'a'] })).toBe('b')
  expect(messages).toEqual([[login, { redis: ['GET', 'a'] }]])
  closePodConnection(connection)
  expect(program.isClosed).toBe(true)
  await expect(openStoreClient(connection, request, {})).rejects.toThrow(
    'no client for messages of the protocol "redis"',
  )
})
