/** Tests of the three port-forward protocols with real sockets. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createWebSocketStream, WebSocket } from 'ws'
import { type Clock, createRealClock, createVirtualClock } from '#kit'
import { type ClientStream, createSpdyClient, type SpdyClient } from '../testing/spdy-client.ts'
import { requestSpdy, startUpgradeServer, type UpgradeServer, until } from '../testing/upgrade-server.ts'
import type { ConnectToPort } from './forward-port.ts'
import { servePortForward } from './serve-port-forward.ts'

const TUNNEL = 'SPDY/3.1+portforward.k8s.io'
const SANDBOX = { sandbox: 'f00d', networkNamespace: '/var/run/netns/cni-1' }

const dial: ConnectToPort = (port) =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => resolve(socket))
    socket.once('error', reject)
  })

const serve = (clock: Clock = createRealClock(), connectToPort = dial): Promise<UpgradeServer> =>
  startUpgradeServer((upgrade) => servePortForward(upgrade, { ...SANDBOX, clock }, connectToPort))

/** A listener on the host, in place of one in a pod. */
const listen = async (onConnection: (socket: Socket) => void) => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]: () => {
      server.close()
    },
  }
}

const connectionRefusedMessage = (port: number): string =>
  `error forwarding port ${port} to pod f00d, uid : failed to execute portforward in network namespace "/var/run/netns/cni-1": failed to connect to localhost:${port} inside namespace "f00d", IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6 [::1]:${port}: connect: connection refused `

const findFreePort = async (): Promise<number> => {
  using listener = await listen(() => {})
  return listener.port
}

let requests = 0
const openPair = (client: SpdyClient, port: number): { data: ClientStream; error: ClientStream } => {
  requests += 1
  const headers = { port: String(port), requestid: String(requests) }
  return {
    error: client.open({ ...headers, streamtype: 'error' }),
    data: client.open({ ...headers, streamtype: 'data' }),
  }
}

const connectOverSpdy = async (server: UpgradeServer): Promise<SpdyClient> =>
  createSpdyClient((await requestSpdy(server.port, '/portforward', 'portforward.k8s.io')).socket)

const connectThroughTunnel = async (server: UpgradeServer): Promise<SpdyClient> => {
  // `ws` rejects protocol names with a slash, so the header is hidden from it.
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/portforward`, {
    headers: { 'Sec-WebSocket-Protocol': TUNNEL },
  })
  let agreed: string | undefined
  socket.on('upgrade', ({ headers }) => {
    agreed = headers['sec-websocket-protocol']
    delete headers['sec-websocket-protocol']
  })
  await once(socket, 'open')
  expect(agreed).toBe(TUNNEL)
  return createSpdyClient(createWebSocketStream(socket))
}

describe('a port-forward over SPDY', () => {
  it('carries several connections concurrently', async () => {
    using echo = await listen((socket) => socket.pipe(socket))
    await using server = await serve()
    const client = await connectOverSpdy(server)
    const pairs = Array.from({ length: 5 }, () => openPair(client, echo.port))
    pairs.forEach(({ data }, index) => {
      data.send(String(index).repeat(200_000))
      data.end()
    })
    for (const [index, { data, error }] of pairs.entries()) {
      expect(String(await data.all)).toBe(String(index).repeat(200_000))
      expect(await error.all).toHaveLength(0)
    }
  })

  it('reports a refused connection on the error stream', async () => {
    const port = await findFreePort()
    await using server = await serve()
    const { data, error } = openPair(await connectOverSpdy(server), port)
    expect(String(await error.all)).toBe(connectionRefusedMessage(port))
    expect(await data.all).toHaveLength(0)
  })

  it('keeps the message of other runtime errors', async () => {
    await using server = await serve(createRealClock(), () => Promise.reject(new Error('pod is not running')))
    const { error } = openPair(await connectOverSpdy(server), 80)
    expect(String(await error.all)).toBe('error forwarding port 80 to pod f00d, uid : pod is not running')
  })

  it('closes the connection in the pod when the client resets its stream or disconnects', async () => {
    const closed: Promise<unknown>[] = []
    using sink = await listen((socket) => closed.push(once(socket.resume(), 'end')))
    await using server = await serve()
    const { socket } = await requestSpdy(server.port, '/portforward', 'portforward.k8s.io')
    const client = createSpdyClient(socket)
    const { data } = openPair(client, sink.port)
    await until(() => closed.length === 1)
    data.reset()
    await closed[0]
    openPair(client, sink.port)
    await until(() => closed.length === 2)
    socket.destroy()
    await closed[1]
    await server.idle()
  })

  it('relays data of the client for one second after the pod has ended its side', async () => {
    const clock = createVirtualClock()
    let received = ''
    using halfClosed = await listen((socket) => {
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.end('bye')
    })
    await using server = await serve(clock)
    const { data, error } = openPair(await connectOverSpdy(server), halfClosed.port)
    await until(() => String(data.received()) === 'bye')
    data.send('more')
    await until(() => received === 'more')
    expect(error.state.ended).toBe(false)
    clock.advance(1000)
    expect(String(await data.all)).toBe('bye')
    await error.all
  })

  it('rejects streams without a valid port or type', async () => {
    await using server = await serve()
    const client = await connectOverSpdy(server)
    const invalid = [
      { streamtype: 'data' },
      { streamtype: 'data', port: '70000' },
      { streamtype: 'x', port: '80' },
    ]
    const streams = invalid.map((headers) => client.open(headers as Record<string, string>))
    await Promise.all(streams.map((stream) => stream.all))
    expect(streams.every((stream) => stream.state.reset)).toBe(true)
  })

  it('times out after 30 seconds if the second stream of a pair is missing', async () => {
    const clock = createVirtualClock()
    await using server = await serve(clock)
    const client = await connectOverSpdy(server)
    const error = client.open({ streamtype: 'error', port: '80', requestid: 'lonely' })
    await until(() => error.state.replied)
    clock.advance(30_000)
    expect(String(await error.all)).toBe('(request=lonely) timed out waiting for streams')
  })

  it('pairs streams without a request id', async () => {
    using echo = await listen((socket) => socket.pipe(socket))
    await using server = await serve()
    const client = await connectOverSpdy(server)
    client.open({ streamtype: 'error', port: String(echo.port) })
    const data = client.open({ streamtype: 'data', port: String(echo.port) })
    data.send('hello')
    data.end()
    expect(String(await data.all)).toBe('hello')
  })
})

describe('a port-forward through a WebSocket tunnel', () => {
  it('carries the same SPDY frames', async () => {
    using echo = await listen((socket) => socket.pipe(socket))
    const port = await findFreePort()
    await using server = await serve()
    const client = await connectThroughTunnel(server)
    const [good, bad] = [openPair(client, echo.port), openPair(client, port)]
    good.data.send('x'.repeat(300_000))
    good.data.end()
    expect(await good.data.all).toHaveLength(300_000)
    expect(String(await bad.error.all)).toBe(connectionRefusedMessage(port))
  })
})

describe('a port-forward over WebSocket channels', () => {
  const open = async (
    server: UpgradeServer,
    query: string,
  ): Promise<{ socket: WebSocket; receivedOn(channel: number): Buffer }> => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/portforward?${query}`, [
      'v5.channel.k8s.io',
      'v4.channel.k8s.io',
    ])
    const messages: Buffer[] = []
    socket.on('message', (data: Buffer) => messages.push(data))
    await once(socket, 'open')
    const receivedOn = (channel: number): Buffer =>
      Buffer.concat(
        messages.filter((message) => message[0] === channel).map((message) => message.subarray(1)),
      )
    return { socket, receivedOn }
  }

  it('starts every channel with its port number, then carries data and errors', async () => {
    using echo = await listen((socket) => socket.pipe(socket))
    const port = await findFreePort()
    await using server = await serve()
    const { socket, receivedOn } = await open(server, `ports=${echo.port},${port}`)
    expect(socket.protocol).toBe('v4.channel.k8s.io')
    socket.send(Buffer.concat([Buffer.of(0), Buffer.from('hello')]))
    await until(() => receivedOn(0).length === 7 && receivedOn(3).length > 2)
    const announcedPorts = [0, 1, 2, 3].map((channel) => receivedOn(channel).readUInt16LE(0))
    expect(announcedPorts).toEqual([echo.port, echo.port, port, port])
    expect(receivedOn(0).toString('utf8', 2)).toBe('hello')
    expect(receivedOn(3).toString('utf8', 2)).toBe(connectionRefusedMessage(port))
    socket.close()
    await server.idle()
  })

  it('closes after the last connection in the pod has ended', async () => {
    using shortLived = await listen((socket) => socket.resume().end('x'.repeat(400_000)))
    const clock = createVirtualClock()
    await using server = await serve(clock)
    const { socket, receivedOn } = await open(server, `ports=${shortLived.port}`)
    await until(() => receivedOn(0).length === 400_002)
    // The data may arrive before the server notices the end and starts its timer.
    await until(() => {
      clock.advance(1000)
      return socket.readyState === WebSocket.CLOSED
    })
  })

  it.each([
    ['', 'query parameter "port" is required'],
    ['ports=', 'query parameter "port" cannot be empty'],
    ['ports=http', 'unable to parse "http" as a port: strconv.ParseUint: parsing "http": invalid syntax'],
    [
      'ports=65536',
      'unable to parse "65536" as a port: strconv.ParseUint: parsing "65536": value out of range',
    ],
    ['ports=0', 'port "0" must be > 0'],
  ])('rejects the query %j', async (query, text) => {
    await using server = await serve()
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/portforward?${query}`, ['v4.channel.k8s.io'])
    const [request, response] = await once(socket, 'unexpected-response')
    let body = ''
    for await (const chunk of response) body += chunk
    expect([response.statusCode, body]).toEqual([400, `${text}\n`])
    request.destroy()
  })
})
