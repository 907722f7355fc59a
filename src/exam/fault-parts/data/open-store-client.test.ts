/** Tests the choice of a store's client by the kind of connection to its pod. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { startStore } from '#exam/testing'
import { createVirtualClock, runVirtually } from '#kit'
import type { PodConnection } from '#spec'
import { createSimulatedTwinHost } from '#world/twin/simulated'
import { createTestHosts } from '#world/twin/simulated/testing'
import { DEFAULT_STORE_OPTIONS } from '#world/twin/testing'
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
  const clock = createVirtualClock()
  const hosts = createTestHosts(clock)
  const [server, laboratory] = [hosts.add({ name: 'server' }), hosts.add({ name: 'laboratory' })]
  await runVirtually(clock, async () => {
    const start = await createSimulatedTwinHost(server).protocols.storeServer('redis')
    const { port } = await start(DEFAULT_STORE_OPTIONS)
    const program = await laboratory.network.connect('server', port)
    const connection: PodConnection = { kind: 'messages', connection: program }
    const request = { protocol: 'redis', address: ADDRESS, login: undefined }
    const client = await openStoreClient(connection, request)
    await client.query({ redis: ['SET', 'a', 'b'] })
    expect(await client.query({ redis: ['GET', 'a'] })).toBe('b')
    closePodConnection(connection)
    expect(program.isClosed).toBe(true)
  })
})
