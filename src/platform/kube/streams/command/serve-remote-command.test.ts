/** Tests of exec and attach over WebSocket and SPDY. */
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createRealClock, createVirtualClock, sleep } from '#kit'
import { createSpdyClient, type SpdyClient } from '../testing/spdy-client.ts'
import {
  requestSpdy,
  requestUpgrade,
  startUpgradeServer,
  type UpgradeServer,
  until,
} from '../testing/upgrade-server.ts'
import type { RemoteCommandOptions } from './command-connection.ts'
import { type CommandStreams, type RunCommand, serveRemoteCommand } from './serve-remote-command.ts'

const DEFAULT_OPTIONS = {
  command: ['sh', '-c', 'exit 7'],
  stdin: false,
  stdout: true,
  stderr: true,
  tty: false,
  clock: createRealClock(),
}

const serve = (run: RunCommand, options: Partial<RemoteCommandOptions> = {}): Promise<UpgradeServer> =>
  startUpgradeServer((upgrade) => serveRemoteCommand(upgrade, { ...DEFAULT_OPTIONS, ...options }, run))

const failingCommand =
  (message: string): RunCommand =>
  async () => {
    throw new Error(message)
  }

/** Echoes the input in upper case, then exits with a code. */
const upperCaseCommand =
  (exitCode: number): RunCommand =>
  async ({ stdin, stdout, stderr }) => {
    for await (const chunk of stdin ?? []) stdout?.write(String(chunk).toUpperCase())
    stderr?.write('done')
    return { exitCode }
  }

const SUCCESS = '{"metadata":{},"status":"Success"}'
const exitStatus = (code: number, message: string): unknown => ({
  metadata: {},
  status: 'Failure',
  message,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
})

interface TestConnection {
  socket: WebSocket
  messages: (Buffer | string)[]
  /** The data received on one channel of a binary protocol. */
  dataOn(channel: number): string
}

const connect = async (
  server: UpgradeServer,
  protocols: string[],
  options: object = {},
): Promise<TestConnection> => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/exec`, protocols, options)
  const messages: (Buffer | string)[] = []
  socket.on('message', (data: Buffer, binary) => messages.push(binary ? data : String(data)))
  await once(socket, 'open')
  return {
    socket,
    messages,
    dataOn: (channel) =>
      messages
        .filter((message) => Buffer.isBuffer(message) && message[0] === channel)
        .map((message) => (message as Buffer).toString('utf8', 1))
        .join(''),
  }
}

const frame = (channel: number, text: string): Buffer =>
  Buffer.concat([Buffer.of(channel), Buffer.from(text)])

describe('a remote command over WebSocket', () => {
  it('accepts the first supported protocol, without compression, from any origin', async () => {
    await using server = await serve(upperCaseCommand(0))
    const offered = ['v9.channel.k8s.io', 'v5.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io']
    const { socket } = await connect(server, offered, { origin: 'http://elsewhere' })
    expect(socket.protocol).toBe('v5.channel.k8s.io')
    expect(socket.extensions).toBe('')
    await once(socket, 'close')
  })

  it('lets a v5 client close its input, and sends the exit status', async () => {
    await using server = await serve(upperCaseCommand(7), { stdin: true })
    const client = await connect(server, ['v5.channel.k8s.io'])
    client.socket.send(frame(0, 'abc'))
    client.socket.send('\0def')
    client.socket.send(Buffer.of(255, 0))
    const [code] = await once(client.socket, 'close')
    expect(code).toBe(1000)
    expect(client.messages[0]).toEqual(Buffer.of(1))
    expect([client.dataOn(1), client.dataOn(2)]).toEqual(['ABCDEF', 'done'])
    expect(JSON.parse(client.dataOn(3))).toEqual(
      exitStatus(7, 'command terminated with non-zero exit code: command terminated with exit code 7'),
    )
  })

  it('forwards the status of the node to a v4 client such as Ansible', async () => {
    await using server = await serve(upperCaseCommand(7))
    const client = await connect(server, ['v4.channel.k8s.io'])
    await once(client.socket, 'close')
    expect(JSON.parse(client.dataOn(3))).toEqual(
      exitStatus(
        7,
        'command terminated with non-zero exit code: error executing command [sh -c exit 7], exit code 7',
      ),
    )
  })

  it.each([
    ['v4.channel.k8s.io', SUCCESS],
    ['channel.k8s.io', ''],
  ])('reports success over %s as %j', async (protocol, status) => {
    await using server = await serve(upperCaseCommand(0))
    const client = await connect(server, [protocol])
    await once(client.socket, 'close')
    expect(client.dataOn(3)).toBe(status)
  })

  it('uses base64 if it is negotiated', async () => {
    await using server = await serve(upperCaseCommand(0), { stdin: true, stderr: false })
    const client = await connect(server, ['v4.base64.channel.k8s.io'])
    client.socket.send(`0${Buffer.from('abc').toString('base64')}`)
    await until(() => client.messages.length === 2)
    expect(client.messages).toEqual(['1', `1${Buffer.from('ABC').toString('base64')}`])
    client.socket.close()
  })

  it('reports why a command cannot be started', async () => {
    await using server = await serve(failingCommand('no such file'))
    const [v5, v4] = await Promise.all([
      connect(server, ['v5.channel.k8s.io']),
      connect(server, ['v4.channel.k8s.io']),
    ])
    await Promise.all([once(v5.socket, 'close'), once(v4.socket, 'close')])
    expect(JSON.parse(v4.dataOn(3))).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'Internal error occurred: error executing command in container: no such file',
      reason: 'InternalError',
      details: { causes: [{ message: 'error executing command in container: no such file' }] },
      code: 500,
    })
    expect(JSON.parse(v5.dataOn(3)).message).toBe(
      'Internal error occurred: Internal error occurred: error executing command in container: no such file',
    )
  })

  it('reports terminal sizes, starting with the latest for a late listener', async () => {
    const sizes: unknown[] = []
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await using server = await serve(
      async ({ resize, stderr, stdin }) => {
        expect(stderr).toBeUndefined()
        stdin!.once('data', () => resize!((size) => sizes.push(size)))
        await released
        return { exitCode: 0 }
      },
      { stdin: true, tty: true },
    )
    const { socket } = await connect(server, ['v5.channel.k8s.io'])
    socket.send(frame(4, '{"Width":1,"Height":1}'))
    socket.send(frame(4, '{"Width":80,"Hei'))
    socket.send(frame(4, 'ght":24}\n{"Width":"?"}{oops}'))
    socket.send(frame(0, 'listen'))
    socket.send(frame(4, '{"height":40,"width":120}'))
    await until(() => sizes.length === 2)
    expect(sizes).toEqual([
      { columns: 80, rows: 24 },
      { columns: 120, rows: 40 },
    ])
    release()
    await once(socket, 'close')
  })

  it('aborts a command without input as soon as the client disconnects', async () => {
    let streams: CommandStreams | undefined
    await using server = await serve(async (opened) => {
      streams = opened
      await once(opened.signal, 'abort')
      opened.stdout!.write('dropped')
      return { exitCode: 137 }
    })
    const { socket } = await connect(server, ['v4.channel.k8s.io'])
    await until(() => streams !== undefined)
    socket.terminate()
    await server.idle()
    expect(streams!.signal.aborted).toBe(true)
  })

  it('lets a command process the input of a disconnected client for five seconds', async () => {
    const clock = createVirtualClock()
    let streams: CommandStreams | undefined
    let received = 0
    let ended = false
    await using server = await serve(
      async (opened) => {
        streams = opened
        for await (const chunk of opened.stdin!) received += chunk.length
        ended = true
        await once(opened.signal, 'abort')
        return { exitCode: 137 }
      },
      { stdin: true, clock },
    )
    const { socket } = await connect(server, ['v4.channel.k8s.io'])
    for (let index = 0; index < 100; index += 1) socket.send(frame(0, 'x'.repeat(9999)))
    socket.close()
    await until(() => ended)
    expect(received).toBe(999_900)
    clock.advance(4999)
    expect(streams!.signal.aborted).toBe(false)
    clock.advance(1)
    expect(streams!.signal.aborted).toBe(true)
    await server.idle()
  })

  it('transfers megabytes in both directions with bounded memory', async () => {
    let maxBuffered = 0
    await using server = await serve(
      async ({ stdin, stdout }) => {
        await sleep(DEFAULT_OPTIONS.clock, 50)
        for await (const chunk of stdin!) {
          maxBuffered = Math.max(maxBuffered, stdin!.readableLength)
          if (!stdout!.write(chunk)) await once(stdout!, 'drain')
        }
        return { exitCode: 0 }
      },
      { stdin: true },
    )
    const client = await connect(server, ['v5.channel.k8s.io'])
    for (let index = 0; index < 80; index += 1)
      client.socket.send(frame(0, String(index % 10).repeat(65_536)))
    client.socket.send(Buffer.of(255, 0))
    await once(client.socket, 'close')
    const echoed = client.dataOn(1)
    expect(echoed).toHaveLength(80 * 65_536)
    expect(echoed.slice(79 * 65_536)).toBe('9'.repeat(65_536))
    expect(maxBuffered).toBeLessThan(2 * 1024 * 1024)
  })

  it('drops messages on channels that are not open', async () => {
    await using server = await serve(upperCaseCommand(0), { stdin: true })
    const client = await connect(server, ['v5.channel.k8s.io'])
    for (const message of [
      Buffer.alloc(0),
      Buffer.of(255),
      Buffer.of(255, 77),
      frame(3, 'x'),
      frame(200, 'x'),
    ]) {
      client.socket.send(message)
    }
    client.socket.send(Buffer.of(255, 0))
    await once(client.socket, 'close')
    expect(client.dataOn(3)).toBe(SUCCESS)
  })
})

const openStreams = (client: SpdyClient, ...types: string[]) =>
  types.map((streamtype) => client.open({ streamtype }))

describe('a remote command over SPDY', () => {
  const OFFER = 'v5.channel.k8s.io, v4.channel.k8s.io, v3.channel.k8s.io, v2.channel.k8s.io, channel.k8s.io'

  it('negotiates v4, carries the streams and sends the exit status', async () => {
    await using server = await serve(upperCaseCommand(7), { stdin: true })
    const { response, socket } = await requestSpdy(server.port, '/exec', OFFER)
    expect(response).toBe(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
    )
    const client = createSpdyClient(socket)
    const [error, stdin, stdout, stderr] = openStreams(client, 'error', 'stdin', 'stdout', 'stderr')
    stdin!.send('abc')
    stdin!.send('def')
    stdin!.end()
    expect(String(await stdout!.all)).toBe('ABCDEF')
    expect(String(await stderr!.all)).toBe('done')
    expect(JSON.parse(String(await error!.all))).toEqual(
      exitStatus(
        7,
        'command terminated with non-zero exit code: error executing command [sh -c exit 7], exit code 7',
      ),
    )
    await client.closed
  })

  it('sends a failure to old clients as plain text, with the message of an attach', async () => {
    const { command: _none, ...attach } = DEFAULT_OPTIONS
    await using server = await startUpgradeServer((upgrade) =>
      serveRemoteCommand(upgrade, attach, failingCommand('gone')),
    )
    const { socket } = await requestSpdy(server.port, '/attach', 'v2.channel.k8s.io')
    const [error] = openStreams(createSpdyClient(socket), 'error', 'stdout', 'stderr')
    expect(String(await error!.all)).toBe('Internal error occurred: error attaching to container: gone')
  })

  it('waits for the resize stream of a terminal', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    await using server = await serve(
      async ({ resize }) => {
        resize!(resolve)
        await promise
        return { exitCode: 0 }
      },
      { stdin: true, tty: true },
    )
    const { socket } = await requestSpdy(server.port, '/exec', OFFER)
    const [, , , resize] = openStreams(createSpdyClient(socket), 'error', 'stdin', 'stdout', 'resize')
    resize!.send('{"Width":80,"Height":24}\n')
    expect(await promise).toEqual({ columns: 80, rows: 24 })
    await server.idle()
  })

  it('closes the connection if the client does not open its streams within 30 seconds', async () => {
    const clock = createVirtualClock()
    let hasRun = false
    await using server = await serve(
      async () => {
        hasRun = true
      },
      { clock },
    )
    const { socket } = await requestSpdy(server.port, '/exec', OFFER)
    const client = createSpdyClient(socket)
    const [error] = openStreams(client, 'error')
    await until(() => error!.state.replied)
    clock.advance(30_000)
    await Promise.all([client.closed, server.idle()])
    expect(hasRun).toBe(false)
  })

  it('aborts when the client disconnects', async () => {
    await using server = await serve(async ({ signal }) => {
      await once(signal, 'abort')
      return { exitCode: 137 }
    })
    const { socket } = await requestSpdy(server.port, '/exec', OFFER)
    const [, , stderr] = openStreams(createSpdyClient(socket), 'error', 'stdout', 'stderr')
    await until(() => stderr!.state.replied)
    socket.destroy()
    await server.idle()
  })
})

describe('a rejected upgrade', () => {
  const rejection = async (headers: Record<string, string>, options = {}): Promise<string> => {
    await using server = await serve(upperCaseCommand(0), options)
    const { response, socket } = await requestUpgrade(server.port, '/exec', headers)
    socket.destroy()
    return response
  }

  it('names the protocols of both sides if they have none in common', async () => {
    const response = await rejection({ Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': 'v9, v8' })
    expect(response).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(response).toContain('\r\nX-Accepted-Stream-Protocol-Versions: channel.k8s.io\r\n')
    expect(response.split('\r\n\r\n')[1]).toBe(
      'unable to upgrade: unable to negotiate protocol: client supports [v9 v8], server accepts [v4.channel.k8s.io v3.channel.k8s.io v2.channel.k8s.io channel.k8s.io]\n',
    )
  })

  it.each([
    [{ Upgrade: 'SPDY/3.1' }, 'unable to upgrade: X-Stream-Protocol-Version is required\n'],
    [
      { Upgrade: 'h2c', 'X-Stream-Protocol-Version': 'v4.channel.k8s.io' },
      'unable to upgrade: missing upgrade headers in request\n',
    ],
  ])('names the missing header of %j', async (headers, text) => {
    const response = await rejection(headers as Record<string, string>)
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(response.split('\r\n\r\n')[1]).toBe(text)
  })

  it('says that at least one stream is required', async () => {
    const response = await rejection({ Upgrade: 'SPDY/3.1' }, { stdout: false, stderr: false })
    expect(response.split('\r\n\r\n')[1]).toBe('you must specify at least 1 of stdin, stdout, stderr\n')
  })

  it('is an empty 403 for a WebSocket without a common protocol', async () => {
    expect(await rejection({ Upgrade: 'websocket', 'Sec-WebSocket-Protocol': 'chat' })).toMatch(
      /^HTTP\/1\.1 403 Forbidden\r\n(.+\r\n)*Content-Length: 0\r\n/,
    )
  })
})
