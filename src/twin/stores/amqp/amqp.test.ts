/** The broker with the library that everybody uses, and with our own client. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import amqplib from 'amqplib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ListeningServer, StoreClientOptions, StoreServerOptions } from '../../ports/index.ts'
import { startStoreProcess } from '../testing/store-process.ts'
import { createAmqpClient } from './create-amqp-client.ts'
import { PROTOCOL_HEADER, toFrames } from './frames.ts'
import { startAmqpServer } from './start-amqp-server.ts'

let folder: string
const closing: (() => unknown)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'amqp-'))
})

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true })
})

const start = async (options: Partial<StoreServerOptions> = {}): Promise<ListeningServer> => {
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
  closing.push(() => server.close())
  return server
}

const theirs = async (port: number, login = 'guest:guest') => {
  const connection = await amqplib.connect(`amqp://${login}@127.0.0.1:${port}`)
  connection.on('error', () => {})
  closing.push(() => connection.close().catch(() => {}))
  return connection
}

const ours = (port: number, options: Partial<StoreClientOptions> = {}) => {
  const client = createAmqpClient({ address: async () => ({ host: '127.0.0.1', port }), ...options })
  closing.push(() => client.close())
  return client
}

const publish = (queue: string, message: unknown, headers = {}) => ({ publish: { queue, message, headers } })

/** All that a client says until it has a channel, at once. */
const OPENED = [
  PROTOCOL_HEADER,
  toFrames(0, 'connection.start-ok', { mechanism: 'PLAIN', response: '\0guest\0guest' }),
  toFrames(0, 'connection.tune-ok', {}),
  toFrames(0, 'connection.open', { virtualHost: '/' }),
  toFrames(1, 'channel.open'),
]

describe('the broker, by the real library', () => {
  it('delivers what was published, with its properties, and counts', async () => {
    const { port } = await start()
    const channel = await (await theirs(port)).createChannel()
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
    const got = await channel.get('work')
    if (!got) throw new Error('nothing came')
    expect(got.content.equals(large)).toBe(true)
    expect(got.properties).toMatchObject({
      contentType: 'text/plain',
      correlationId: 'c1',
      deliveryMode: 2,
      timestamp: 1_700_000_000,
      headers: properties.headers,
    })
    expect(got.fields).toMatchObject({ redelivered: false, routingKey: 'work', messageCount: 0 })
    channel.nack(got)
    const again = await channel.get('work')
    if (!again) throw new Error('nothing came back')
    expect(again.fields.redelivered).toBe(true)
    channel.ack(again)
    expect(await channel.get('work')).toBe(false)
    channel.sendToQueue('work', Buffer.from('a'))
    channel.sendToQueue('work', Buffer.from('b'))
    expect(await channel.purgeQueue('work')).toEqual({ messageCount: 2 })
    expect(await channel.deleteQueue('work')).toEqual({ messageCount: 0 })
  })

  it('gives each consumer no more than it asked for, and what a lost one held to another', async () => {
    const { port } = await start()
    const first = await theirs(port)
    const channel = await first.createChannel()
    await channel.assertQueue('work')
    await channel.prefetch(2)
    const held: string[] = []
    await channel.consume('work', (message) => held.push(String(message?.content)))
    for (const text of ['a', 'b', 'c']) channel.sendToQueue('work', Buffer.from(text))
    await expect.poll(() => held).toEqual(['a', 'b'])
    const other = await (await theirs(port)).createChannel()
    await expect.poll(async () => (await other.checkQueue('work')).messageCount).toBe(1)
    await first.close()
    const got: [string, boolean][] = []
    const { consumerTag } = await other.consume('work', (message) => {
      got.push([String(message!.content), message!.fields.redelivered])
      other.ack(message!)
    })
    await expect
      .poll(() => got)
      .toEqual([
        ['a', true],
        ['b', true],
        ['c', false],
      ])
    await other.cancel(consumerTag)
    expect(await other.checkQueue('work')).toMatchObject({ messageCount: 0, consumerCount: 0 })
  })

  it('confirms, and gives back what no queue wants', async () => {
    const { port } = await start()
    const channel = await (await theirs(port)).createConfirmChannel()
    await channel.assertQueue('work')
    const returned: string[] = []
    channel.on('return', (message) => returned.push(message.fields.routingKey))
    channel.sendToQueue('work', Buffer.from('a'), { persistent: true })
    channel.sendToQueue('nowhere', Buffer.from('a'), { mandatory: true })
    await channel.waitForConfirms()
    expect(returned).toEqual(['nowhere'])
  })

  it('closes the channel for what is wrong, and lets the connection be', async () => {
    const { port } = await start()
    const connection = await theirs(port)
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
    const fresh = await (await theirs(port)).createChannel()
    fresh.on('error', () => {})
    await expect(fresh.checkQueue(queue)).rejects.toThrow('404')
  })

  it('refuses wrong passwords and other protocols', async () => {
    const { port } = await start({
      environment: { RABBITMQ_DEFAULT_USER: 'root', RABBITMQ_DEFAULT_PASS: 'secret' },
      users: [{ name: 'app', password: 'pw' }],
    })
    await expect(theirs(port)).rejects.toThrow('ACCESS')
    await expect(theirs(port, 'app:wrong')).rejects.toThrow('ACCESS')
    await theirs(port, 'app:pw')
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\n\r\n')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toBe('AMQP\0\0\t\x01')
    socket.destroy()
  })

  it('ends a connection on which nonsense is spoken, and no other', async () => {
    const { port } = await start()
    const other = await theirs(port)
    const content = { properties: {}, body: Buffer.from('long') }
    const tooLong = toFrames(1, 'basic.publish', { routingKey: 'q' }, content)
    // The size of the body, in the frame of its header.
    tooLong.writeBigUInt64BE(1n, tooLong.indexOf(Buffer.from([2, 0, 1])) + 11)
    for (const nonsense of [
      [PROTOCOL_HEADER, Buffer.alloc(8, 0xff)],
      [...OPENED, tooLong],
      [...OPENED, toFrames(1, 'channel.open')],
    ]) {
      const socket = connect(port, '127.0.0.1')
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => {
        chunks.push(chunk)
        if (Buffer.concat(chunks).includes("second 'channel.open' seen"))
          socket.write(toFrames(0, 'connection.close-ok'))
      })
      // As pieces of any size.
      const bytes = Buffer.concat(nonsense)
      for (let at = 0; at < bytes.length; at += 7) socket.write(bytes.subarray(at, at + 7))
      await once(socket, 'close')
    }
    const channel = await other.createChannel()
    await channel.assertQueue('q')
  })

  it('hands nothing more to a consumer that does not read', async () => {
    const { port } = await start()
    const channel = await (await theirs(port)).createConfirmChannel()
    await channel.assertQueue('large')
    const body = Buffer.alloc(100_000)
    for (let count = 0; count < 300; count++) channel.sendToQueue('large', body)
    await channel.waitForConfirms()
    const socket = connect(port, '127.0.0.1')
    socket.write(Buffer.concat([...OPENED, toFrames(1, 'basic.consume', { queue: 'large', noAck: true })]))
    const left = async () => (await channel.checkQueue('large')).messageCount
    await expect.poll(left).toBeLessThan(300)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await left()).toBeGreaterThan(50)
    let heard = 0
    socket.on('data', (chunk) => {
      heard += chunk.length
    })
    await expect.poll(() => heard, { timeout: 10_000 }).toBeGreaterThan(300 * body.length)
    expect(await left()).toBe(0)
    socket.destroy()
  })
})

describe('our client', () => {
  it('publishes and consumes, with headers, one after another', async () => {
    const { port } = await start()
    const got: unknown[] = []
    const consumer = ours(port)
    consumer.consume('food_delivery', async (message, headers) => {
      got.push([message, headers])
    })
    const client = ours(port)
    await client.query(publish('food_delivery', { order: 1 }, { traceparent: '00-a-b-01' }))
    await client.query(publish('food_delivery', 'plain text'))
    await expect
      .poll(() => got)
      .toEqual([
        [{ order: 1 }, { traceparent: '00-a-b-01' }],
        ['plain text', {}],
      ])
  })

  it('gives back what its handler could not do, and finds the broker again', async () => {
    const server = await start()
    const { port } = server
    const tries: unknown[] = []
    ours(port).consume('work', async (message) => {
      tries.push(message)
      if (tries.length < 3) throw new Error('not yet')
    })
    const client = ours(port)
    await client.query(publish('work', 1))
    await expect.poll(() => tries).toEqual([1, 1, 1])
    await server.close()
    await expect(client.query(publish('work', 2))).rejects.toMatchObject({
      kind: expect.stringMatching(/refused|reset/),
    })
    await start({ port })
    await vi.waitFor(() => client.query(publish('work', 3)), 10_000)
    await expect.poll(() => tries).toEqual([1, 1, 1, 3])
  })

  it('says what is wrong', async () => {
    const { port } = await start()
    const stranger = ours(port, { login: { user: 'guest', password: 'wrong' } })
    await expect(stranger.query(publish('work', 1))).rejects.toMatchObject({ kind: 'login' })
    await expect(ours(port).query({ redis: ['PING'] })).rejects.toThrow('messages only')
    const deaf = ours(port)
    deaf.close()
    await expect(deaf.query(publish('work', 1))).rejects.toMatchObject({ kind: 'reset' })
  })

  it('waits no longer than it may', async () => {
    const silent = createServer(() => {}).listen(0)
    closing.push(() => silent.close())
    const { port } = silent.address() as { port: number }
    await expect(ours(port).query(publish('work', 1), 50)).rejects.toMatchObject({ kind: 'timeout' })
  })
})

describe('what must survive', () => {
  it('is there after the broker was killed, and refused where the disk is full', async () => {
    const first = await startStoreProcess('amqp', { folder })
    closing.push(() => first.kill())
    const client = ours(first.port)
    await client.query(publish('work', 'kept'))
    first.limitFiles(2000)
    await expect(client.query(publish('work', 'x'.repeat(10_000)))).rejects.toMatchObject({ kind: 'answer' })
    first.limitFiles()
    const channel = await (await theirs(first.port)).createChannel()
    await channel.assertQueue('work')
    channel.sendToQueue('work', Buffer.from('transient'))
    await expect.poll(async () => (await channel.checkQueue('work')).messageCount).toBe(2)
    await first.kill()
    const second = await startStoreProcess('amqp', { folder })
    closing.push(() => second.kill())
    const after = await (await theirs(second.port)).createChannel()
    const got = await after.get('work')
    if (!got) throw new Error('nothing came')
    expect([String(got.content), got.fields.redelivered]).toEqual(['"kept"', true])
    after.ack(got)
    expect(await after.get('work')).toBe(false)
  })
})

describe('rabbitmqctl', () => {
  const control = (...words: string[]): Promise<string> =>
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

  it('shows queues and users, and changes passwords for good', async () => {
    const server = await start()
    await ours(server.port).query(publish('work', 1))
    expect(await control('list_queues')).toBe('0 name\tmessages\nwork\t1')
    expect(await control('list_queues', 'name', 'consumers')).toBe('0 name\tconsumers\nwork\t0')
    expect(await control('list_users')).toBe('0 user\ttags\nguest\t[administrator]')
    expect(await control('status')).toContain('Queue count: 1')
    expect(await control('change_password', 'guest', 'new')).toContain('Changing password')
    expect(await control('change_password', 'nobody', 'new')).toBe('1 Error: User "nobody" does not exist')
    expect(await control('fly')).toBe("1 Error: command 'fly' is not known")
    await server.close()
    expect(await control('status')).toContain('nodedown')
    const { port } = await start()
    await theirs(port, 'guest:new')
    await expect(theirs(port)).rejects.toThrow('ACCESS')
  })
})
