/** Tests of a SPDY/3.1 connection with valid and invalid clients. */
import { Duplex, duplexPair } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import { createSpdyClient, type SpdyClient } from '../testing/spdy-client.ts'
import { until } from '../testing/upgrade-server.ts'
import { controlFrame, dataFrame, FRAME } from './frames.ts'
import { createSpdyConnection, type SpdyConnection } from './spdy-connection.ts'
import type { SpdyStream } from './spdy-stream.ts'

const connectClient = (): {
  client: SpdyClient
  connection: SpdyConnection
  streams: SpdyStream[]
  clock: ReturnType<typeof createVirtualClock>
  serverEnd: Duplex
  clientEnd: Duplex
} => {
  const [serverEnd, clientEnd] = duplexPair()
  const clock = createVirtualClock()
  const streams: SpdyStream[] = []
  const connection = createSpdyConnection(serverEnd, clock, (stream) => {
    if (stream.headers.get('streamtype') === 'rejected') return false
    streams.push(stream)
    return true
  })
  return { client: createSpdyClient(clientEnd), connection, streams, clock, serverEnd, clientEnd }
}

const leadingWords = (client: SpdyClient, type: number): number[][] =>
  client.controls
    .filter((frame) => frame.type === type)
    .map(({ payload }) => [payload.readUInt32BE(0), payload.length > 4 ? payload.readUInt32BE(4) : -1])

describe('a SPDY connection', () => {
  it('accepts a stream and carries data in both directions until both sides have ended', async () => {
    const { client, streams } = connectClient()
    const stream = client.open({ streamtype: 'data', port: '80' })
    stream.send('to the server')
    stream.end()
    await until(() => streams.length === 1)
    const [served] = streams
    expect(served!.headers).toEqual(
      new Map([
        ['streamtype', 'data'],
        ['port', '80'],
      ]),
    )
    const received: Buffer[] = []
    for await (const chunk of served!.input) received.push(chunk)
    expect(String(Buffer.concat(received))).toBe('to the server')
    served!.output.end('to the client')
    expect(String(await stream.all)).toBe('to the client')
    expect(stream.state).toEqual({ replied: true, reset: false, ended: true })
  })

  it('resets a rejected stream and keeps the others', async () => {
    const { client, streams } = connectClient()
    const rejected = client.open({ streamtype: 'rejected' })
    client.open({ streamtype: 'data' })
    await rejected.all
    expect(rejected.state).toMatchObject({ replied: false, reset: true })
    await until(() => streams.length === 1)
  })

  it('answers pings of the client, but not pings with an even id', async () => {
    const { client } = connectClient()
    client.send(controlFrame(FRAME.ping, [7]))
    client.send(controlFrame(FRAME.ping, [8]))
    client.send(controlFrame(FRAME.ping, [9]))
    await until(() => client.controls.length === 2)
    expect(leadingWords(client, FRAME.ping).map(([id]) => id)).toEqual([7, 9])
  })

  it('ends the input and drops the output of a stream that the client resets', async () => {
    const { client, streams } = connectClient()
    const stream = client.open({ streamtype: 'data' })
    stream.reset()
    await until(() => streams[0]?.closed.aborted === true)
    for await (const _chunk of streams[0]!.input) throw new Error('nothing was sent')
    await new Promise<void>((resolve) => streams[0]!.output.end('dropped', () => resolve()))
    expect(stream.received()).toHaveLength(0)
  })

  it('sends window updates as data is received', async () => {
    const { client, streams } = connectClient()
    const stream = client.open({ streamtype: 'data' })
    for (let index = 0; index < 4; index += 1) stream.send(Buffer.alloc(16 * 1024))
    await until(() => leadingWords(client, FRAME.windowUpdate).length === 4)
    expect(leadingWords(client, FRAME.windowUpdate)).toEqual([
      [0, 32768],
      [1, 32768],
      [0, 32768],
      [1, 32768],
    ])
    expect(streams).toHaveLength(1)
  })

  it('pauses the connection while input is unread, and resumes it afterwards', async () => {
    const { client, streams, serverEnd } = connectClient()
    const stream = client.open({ streamtype: 'data' })
    for (let index = 0; index < 20; index += 1) stream.send(Buffer.alloc(32 * 1024))
    stream.end()
    await until(() => serverEnd.isPaused())
    let received = 0
    for await (const chunk of streams[0]!.input) received += chunk.length
    expect(received).toBe(20 * 32 * 1024)
    expect(serverEnd.isPaused()).toBe(false)
  })

  it('ignores the window of a client that sends no window updates', async () => {
    const { client, streams } = connectClient()
    const stream = client.open({ streamtype: 'data' })
    await until(() => streams.length === 1)
    streams[0]!.output.end(Buffer.alloc(500_000))
    expect(await stream.all).toHaveLength(500_000)
  })

  it('respects the window of a client that has announced one', async () => {
    const { client, streams } = connectClient()
    client.send(controlFrame(FRAME.settings, [1, 7, 1000]))
    const stream = client.open({ streamtype: 'data' })
    await until(() => streams.length === 1)
    streams[0]!.output.end(Buffer.alloc(2500))
    await until(() => stream.received().length === 1000)
    client.send(controlFrame(FRAME.windowUpdate, [stream.id, 700]))
    await until(() => stream.received().length === 1700)
    client.send(controlFrame(FRAME.windowUpdate, [stream.id, 5000]))
    expect(await stream.all).toHaveLength(2500)
  })

  it('resets an unknown stream', async () => {
    const { client } = connectClient()
    client.send(dataFrame(41, Buffer.from('?'), false))
    await until(() => client.controls.length === 1)
    expect(leadingWords(client, FRAME.rstStream)).toEqual([[41, 2]])
  })

  it.each([
    ['a frame of another version', Buffer.from('8002000100000000', 'hex')],
    ['an oversized frame', Buffer.from('8003000100ffffff', 'hex')],
    ['a stream with an even id', controlFrame(FRAME.synStream, [2, 0], Buffer.alloc(20))],
    ['settings of a wrong length', controlFrame(FRAME.settings, [9])],
    ['a ping without an id', controlFrame(FRAME.ping, [])],
    ['plain text', Buffer.from('\xffGET / HTTP/1.1\r\n\r\n', 'latin1')],
  ])('closes the connection of a client that sends %s', async (_description, bytes) => {
    const { client, connection, streams } = connectClient()
    client.open({ streamtype: 'data' })
    await until(() => streams.length === 1)
    client.send(bytes)
    await client.closed
    expect(connection.closed.aborted).toBe(true)
    expect(streams[0]!.closed.aborted).toBe(true)
    expect(leadingWords(client, FRAME.goAway)).toEqual([[1, 1]])
  })

  it('closes after four idle hours', async () => {
    const { client, connection, clock } = connectClient()
    clock.advance(3 * 3_600_000)
    client.send(controlFrame(FRAME.ping, [1]))
    await until(() => client.controls.length === 1)
    clock.advance(2 * 3_600_000)
    expect(connection.closed.aborted).toBe(false)
    clock.advance(2 * 3_600_000)
    expect(connection.closed.aborted).toBe(true)
    await client.closed
  })

  it('destroys the transport if the client does not close its side after GOAWAY', () => {
    const clock = createVirtualClock()
    const stalled = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    createSpdyConnection(stalled, clock, () => true).close()
    clock.advance(4999)
    expect(stalled.destroyed).toBe(false)
    clock.advance(1)
    expect(stalled.destroyed).toBe(true)
  })

  it('closes every stream when the connection ends, regardless of the bytes that the client has sent', async () => {
    const control = fc
      .tuple(fc.integer({ min: 0, max: 11 }), fc.uint8Array({ maxLength: 40 }))
      .map(([type, payload]) => controlFrame(type, [], Buffer.from(payload)))
    const data = fc
      .tuple(fc.integer({ min: 0, max: 5 }), fc.uint8Array({ maxLength: 40 }), fc.boolean())
      .map(([id, payload, fin]) => dataFrame(id, Buffer.from(payload), fin))
    const noise = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(control, data, noise), { maxLength: 12 }), async (frames) => {
        const { client, connection, streams, clientEnd } = connectClient()
        client.open({ streamtype: 'data' })
        for (const frame of frames) client.send(frame)
        clientEnd.end()
        await until(() => connection.closed.aborted)
        expect(streams.every((stream) => stream.closed.aborted)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
