/** Tests the server with input that no driver sends. */
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createMongodbClient } from './create-mongodb-client.ts'
import { startMongodbServer } from './start-mongodb-server.ts'
import { toMessage } from './wire-message.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const start = async () => {
  const quiet = { log: () => {}, onCommand: () => {} }
  const server = await startMongodbServer({ port: 0, users: [], databases: [], environment: {}, ...quiet })
  cleanups.push(() => server.close())
  return server
}

const createClient = (port: number) => {
  const client = createMongodbClient({ address: async () => ({ host: '127.0.0.1', port }) })
  cleanups.push(() => client.close())
  return client
}

test('closes a connection that uses another protocol', async () => {
  const { port } = await start()
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\n\r\n')
  await new Promise((resolve) => socket.once('close', resolve))
})

test.each([
  ['a negative length', [1, -5]],
  ['a length beyond the end of the message', [1, 1000]],
  ['no name', [1, 9]],
])('closes a connection that sends a section with %s', async (_, [kind, size]) => {
  const { port } = await start()
  const message = Buffer.alloc(30, 1)
  for (const [index, value] of [30, 1, 0, 2013, 0].entries()) message.writeInt32LE(value, index * 4)
  message[20] = kind!
  message.writeInt32LE(size!, 21)
  const socket = connect(port, '127.0.0.1')
  socket.write(message)
  await new Promise((resolve) => socket.once('close', resolve))
  await createClient(port).query({ mongo: { ping: 1 } })
})

test('answers a message that arrives byte by byte', async () => {
  const { port } = await start()
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const answer = new Promise<Buffer>((resolve) => socket.once('data', resolve))
  for (const byte of toMessage(7, 0, { ping: 1, $db: 'admin' })) {
    socket.write(Buffer.from([byte]))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await answer).readInt32LE(8)).toBe(7)
  socket.destroy()
})

test('rejects a path that would create a billion list elements, and distinguishes a date from its text', async () => {
  const client = createClient((await start()).port)
  await client.query({ mongo: { insert: 'c', documents: [{ _id: 1, list: [0], at: new Date(5) }] } })
  const update = (u: object) => client.query({ mongo: { update: 'c', updates: [{ q: { _id: 1 }, u }] } })
  await expect(update({ $set: { 'list.999999999': 1 } })).rejects.toThrow("can't backfill more than 1500000")
  // A date and its text are different values.
  expect(await update({ $set: { at: new Date(5).toISOString() } })).toMatchObject({ nModified: 1 })
})
