/** Tests the broker with the library amqplib, and the client of the twin. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import amqplib from 'amqplib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ListeningServer, StoreClientOptions, StoreServerOptions } from '#world/twin/ports'
import { startStoreProcess } from '../testing/store-process.ts'
import { createAmqpClient } from './create-amqp-client.ts'
import { PROTOCOL_HEADER, toFrames } from './frames.ts'
import { startAmqpServer } from './start-amqp-server.ts'

let folder: string
const cleanups: (() => unknown)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'amqp-'))
})

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true })
})

const startServer = async (options: Partial<StoreServerOptions> = {}): Promise<ListeningServer> => {
  const server = await startAmqpServer({
    port: 0,
    folder,
    users: [],
    databases: [],
    environment: {},
    log: () => {},
    onCommand: () => {},
    ...options,
  })
  cleanups.push(() => server.close())
  return server
}

const connectWithAmqplib = async (port: number, login = 'guest:guest') => {
  const connection = await amqplib.connect(`amqp://${login}@127.0.0.1:${port}`)
  connection.on('error', () => {})
  cleanups.push(() => connection.close().catch(() => {}))
  return connection
}

const createClient = (port: number, options: Partial<StoreClientOptions> = {}) => {
  const client = createAmqpClient({ address: async () => ({ host: '127.0.0.1', port }), ...options })
  cleanups.push(() => client.close())
  return client
}

const toPublish = (queue: string, message: unknown, headers = {}) => ({
  publish: { queue, message, headers },
})

/** The frames that a client sends to open a connection and a channel. */
const HANDSHAKE = [
  PROTOCOL_HEADER,
  toFrames(0, 'connection.start-ok', { mechanism: 'PLAIN', response: '\0guest\0guest' }),
  toFrames(0, 'connection.tune-ok', {}),
  toFrames(0, 'connection.open', { virtualHost: '/' }),
  toFrames(1, 'channel.open'),
]

describe('the broker, with amqplib', () => {
  it('delivers published messages with their properties and counts them', async () => {
    const { port } = await startServer()
    const channel = await (await connectWithAmqplib(port)).createChannel()
    expect(await channel.assertQueue('work', { durable: true })).toEqual({
      queue: 'work',
      messageCount: 0,
      consumerCount: 0,
    })
    const large = Buffer.alloc(300_000, 'x')
    const properties = {
      persistent: true,
      contentType: 'text/plain',
      correlationId: 'c1',
      timestamp: 1_700_000_000,
      headers: { traceparent: '00-a-b-01', deep: { list: [1, 'two', true, null, 2.5] } },
    }
    channel.sendToQueue('work', large, properties)
    const received = await channel.get('work')
    if (!received) throw new Error('no message')
    expect(received.content.equals(large)).toBe(true)
    expect(received.properties).toMatchObject({
      contentType: 'text/plain',
      correlationId: 'c1',
      deliveryMode: 2,
      timestamp: 1_700_000_000,
      headers: properties.headers,
    })
    expect(received.fields).toMatchObject({ redelivered: false, routingKey: 'work', messageCount: 0 })
    channel.nack(received)
    const redelivered = await channel.get('work')
    if (!redelivered) throw new Error('no redelivery')
    expect(redelivered.fields.redelivered).toBe(true)
    channel.ack(redelivered)
    expect(await channel.get('work')).toBe(false)
    channel.sendToQueue('work', Buffer.from('a'))
    channel.sendToQueue('work', Buffer.from('b'))
    expect(await channel.purgeQueue('work')).toEqual({ messageCount: 2 })
    expect(await channel.deleteQueue('work')).toEqual({ messageCount: 0 })
  })

  it('respects the prefetch count and redelivers messages of a lost consumer', async () => {
    const { port } = await startServer()
    const first = await connectWithAmqplib(port)
    const channel = await first.createChannel()
    await channel.assertQueue('work')
    await channel.prefetch(2)
    const delivered: string[] = []
    await channel.consume('work', (message) => delivered.push(String(message?.content)))
    for (const text of ['a', 'b', 'c']) channel.sendToQueue('work', Buffer.from(text))
    await expect.poll(() => delivered).toEqual(['a', 'b'])
    const secondChannel = await (await connectWithAmqplib(port)).createChannel()
    await expect.poll(async () => (await secondChannel.checkQueue('work')).messageCount).toBe(1)
    await first.close()
    const received: [string, boolean][] = []
    const { consumerTag } = await secondChannel.consume('work', (message) => {
      received.push([String(message!.content), message!.fields.redelivered])
      secondChannel.ack(message!)
    })
    await expect
      .poll(() => received)
      .toEqual([
        ['a', true],
        ['b', true],
        ['c', false],
      ])
    await secondChannel.cancel(consumerTag)
    expect(await secondChannel.checkQueue('work')).toMatchObject({ messageCount: 0, consumerCount: 0 })
  })

  it('confirms messages and returns unroutable ones', async () => {
    const { port } = await startServer()
    const channel = await (await connectWithAmqplib(port)).createConfirmChannel()
    await channel.assertQueue('work')
    const returned: string[] = []
    channel.on('return', (message) => returned.push(message.fields.routingKey))
    channel.sendToQueue('work', Buffer.from('a'), { persistent: true })
    channel.sendToQueue('nowhere', Buffer.from('a'), { mandatory: true })
    await channel.waitForConfirms()
    expect(returned).toEqual(['nowhere'])
  })

  it('closes the channel on an error and keeps the connection', async () => {
    const { port } = await startServer()
    const connection = await connectWithAmqplib(port)
    const channel = await connection.createChannel()
    channel.on('error', () => {})
    await expect(channel.checkQueue('none')).rejects.toThrow('404 (NOT-FOUND)')
    const second = await connection.createChannel()
    second.on('error', () => {})
    await second.assertQueue('work', { durable: true })
    await expect(second.assertQueue('work', { durable: false })).rejects.toThrow('406')
    const third = await connection.createChannel()
    const { queue } = await third.assertQueue('', { exclusive: true })
    expect(queue).toMatch(/^amq\.gen-/)
    await connection.close()
    const fresh = await (await connectWithAmqplib(port)).createChannel()
    fresh.on('error', () => {})
    await expect(fresh.checkQueue(queue)).rejects.toThrow('404')
  })

  it('rejects wrong passwords and other protocols', async () => {
    const { port } = await startServer({
      environment: { RABBITMQ_DEFAULT_USER: 'root', RABBITMQ_DEFAULT_PASS: 'secret' },
      users: [{ name: 'app', password: 'pw' }],
    })
    await expect(connectWithAmqplib(port)).rejects.toThrow('ACCESS')
    await expect(connectWithAmqplib(port, 'app:wrong')).rejects.toThrow('ACCESS')
    await connectWithAmqplib(port, 'app:pw')
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\n\r\n')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toBe('AMQP\0\0\t\x01')
    socket.destroy()
  })

  it('closes only the connection that sends malformed frames', async () => {
    const { port } = await startServer()
    const healthyConnection = await connectWithAmqplib(port)
    const content = { properties: {}, body: Buffer.from('long') }
    const tooLong = toFrames(1, 'basic.publish', { routingKey: 'q' }, content)
    // The body size is in the content header frame.
    tooLong.writeBigUInt64BE(1n, tooLong.indexOf(Buffer.from([2, 0, 1])) + 11)
    for (const malformed of [
      [PROTOCOL_HEADER, Buffer.alloc(8, 0xff)],
      [...HANDSHAKE, tooLong],
      [...HANDSHAKE, toFrames(1, 'channel.open')],
    ]) {
      const socket = connect(port, '127.0.0.1')
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => {
        chunks.push(chunk)
        if (Buffer.concat(chunks).includes("second 'channel.open' seen"))
          socket.write(toFrames(0, 'connection.close-ok'))
      })
      // Splits the bytes into chunks that do not match the frames.
      const bytes = Buffer.concat(malformed)
      for (let offset = 0; offset < bytes.length; offset += 7)
        socket.write(bytes.subarray(offset, offset + 7))
      await once(socket, 'close')
    }
    const channel = await healthyConnection.createChannel()
    await channel.assertQueue('q')
  })

  it('stops delivering to a consumer that does not read', async () => {
    const { port } = await startServer()
    const channel = await (await connectWithAmqplib(port)).createConfirmChannel()
    await channel.assertQueue('large')
    const body = Buffer.alloc(100_000)
    for (let count = 0; count < 300; count++) channel.sendToQueue('large', body)
    await channel.waitForConfirms()
    const socket = connect(port, '127.0.0.1')
    socket.write(Buffer.concat([...HANDSHAKE, toFrames(1, 'basic.consume', { queue: 'large', noAck: true })]))
    const readyCount = async () => (await channel.checkQueue('large')).messageCount
    await expect.poll(readyCount).toBeLessThan(300)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await readyCount()).toBeGreaterThan(50)
    let receivedBytes = 0
    socket.on('data', (chunk) => {
      receivedBytes += chunk.length
    })
    await expect.poll(() => receivedBytes, { timeout: 10_000 }).toBeGreaterThan(300 * body.length)
    expect(await readyCount()).toBe(0)
    socket.destroy()
  })
})

describe('the client', () => {
  it('publishes and consumes messages with headers, in order', async () => {
    const { port } = await startServer()
    const received: unknown[] = []
    const consumer = createClient(port)
    consumer.consume('food_delivery', async (message, headers) => {
      received.push([message, headers])
    })
    const client = createClient(port)
    await client.query(toPublish('food_delivery', { order: 1 }, { traceparent: '00-a-b-01' }))
    await client.query(toPublish('food_delivery', 'plain text'))
    await expect
      .poll(() => received)
      .toEqual([
        [{ order: 1 }, { traceparent: '00-a-b-01' }],
        ['plain text', {}],
      ])
  })

  it('requeues messages whose handler fails, and reconnects to the broker', async () => {
    const server = await startServer()
    const { port } = server
    const attempts: unknown[] = []
    createClient(port).consume('work', async (message) => {
      attempts.push(message)
      if (attempts.length < 3) throw new Error('not yet')
    })
    const client = createClient(port)
    await client.query(toPublish('work', 1))
    await expect.poll(() => attempts).toEqual([1, 1, 1])
    await server.close()
    await expect(client.query(toPublish('work', 2))).rejects.toMatchObject({
      kind: expect.stringMatching(/refused|reset/),
    })
    await startServer({ port })
    await vi.waitFor(() => client.query(toPublish('work', 3)), 10_000)
    await expect.poll(() => attempts).toEqual([1, 1, 1, 3])
  })

  it('reports rejected logins, unsupported commands and a closed client', async () => {
    const { port } = await startServer()
    const unauthorised = createClient(port, { login: { user: 'guest', password: 'wrong' } })
    await expect(unauthorised.query(toPublish('work', 1))).rejects.toMatchObject({ kind: 'login' })
    await expect(createClient(port).query({ redis: ['PING'] })).rejects.toThrow('supports only publish')
    const closedClient = createClient(port)
    closedClient.close()
    await expect(closedClient.query(toPublish('work', 1))).rejects.toMatchObject({ kind: 'reset' })
  })

  it('respects the timeout', async () => {
    const silentServer = createServer(() => {}).listen(0)
    cleanups.push(() => silentServer.close())
    const { port } = silentServer.address() as { port: number }
    await expect(createClient(port).query(toPublish('work', 1), 50)).rejects.toMatchObject({
      kind: 'timeout',
    })
  })
})

describe('durable messages', () => {
  it('survive a crash of the broker, and are rejected when the disk is full', async () => {
    const first = await startStoreProcess('amqp', { folder })
    cleanups.push(() => first.kill())
    const client = createClient(first.port)
    await client.query(toPublish('work', 'kept'))
    first.limitFileSize(2000)
    const largeMessage = toPublish('work', 'x'.repeat(10_000))
    await expect(client.query(largeMessage)).rejects.toMatchObject({ kind: 'answer' })
    first.limitFileSize()
    const channel = await (await connectWithAmqplib(first.port)).createChannel()
    await channel.assertQueue('work')
    channel.sendToQueue('work', Buffer.from('transient'))
    await expect.poll(async () => (await channel.checkQueue('work')).messageCount).toBe(2)
    await first.kill()
    const second = await startStoreProcess('amqp', { folder })
    cleanups.push(() => second.kill())
    const channelAfterCrash = await (await connectWithAmqplib(second.port)).createChannel()
    const received = await channelAfterCrash.get('work')
    if (!received) throw new Error('no message')
    expect([String(received.content), received.fields.redelivered]).toEqual(['"kept"', true])
    channelAfterCrash.ack(received)
    expect(await channelAfterCrash.get('work')).toBe(false)
  })
})

describe('rabbitmqctl', () => {
  const runControl = (...words: string[]): Promise<string> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [
          '--disable-warning=ExperimentalWarning',
          join(import.meta.dirname, '../../tools/rabbitmqctl.ts'),
          ...words,
        ],
        { env: { RABBITMQ_HOME: folder } },
        (error, output, errors) => resolve(`${error?.code ?? 0} ${output}${errors}`.trim()),
      )
    })

  it('lists queues and users, and changes passwords permanently', async () => {
    const server = await startServer()
    await createClient(server.port).query(toPublish('work', 1))
    expect(await runControl('list_queues')).toBe('0 name\tmessages\nwork\t1')
    expect(await runControl('list_queues', 'name', 'consumers')).toBe('0 name\tconsumers\nwork\t0')
    expect(await runControl('list_users')).toBe('0 user\ttags\nguest\t[administrator]')
    expect(await runControl('status')).toContain('Queue count: 1')
    expect(await runControl('change_password', 'guest', 'new')).toContain('Changing password')
    expect(await runControl('change_password', 'nobody', 'new')).toBe('1 Error: User "nobody" does not exist')
    expect(await runControl('fly')).toBe("1 Error: command 'fly' is unknown")
    await server.close()
    expect(await runControl('status')).toContain('nodedown')
    const { port } = await startServer()
    await connectWithAmqplib(port, 'guest:new')
    await expect(connectWithAmqplib(port)).rejects.toThrow('ACCESS')
  })
})
