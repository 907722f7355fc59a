/** Tests the Thrift server with the library thrift and with raw input. The contract suite covers the rest. */
import { once } from 'node:events'
import { connect as openSocket } from 'node:net'
import thrift from 'thrift'
import { afterEach, expect, test } from 'vitest'
import type { ListeningServer, RequestHandler, ServiceClient } from '#world/twin/ports'
import { MESSAGE, parseThriftMessage, toThriftFrame } from './binary-protocol.ts'
import { createThriftClient } from './create-thrift-client.ts'
import { createFrameSplitter } from './frame-splitter.ts'
import { startThriftServer } from './start-thrift-server.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const echo: RequestHandler = async ({ path, headers, body }) => {
  if (path === 'Unknown') return { status: 12, body: 'Invalid method name: Unknown' }
  return { status: 0, body: { path, headers, body } }
}

const startServer = async (): Promise<ListeningServer> => {
  const server = await startThriftServer({ port: 0, handler: echo })
  cleanups.push(() => server.close())
  return server
}

const createClient = (port: number): ServiceClient => {
  const client = createThriftClient({ address: async () => ({ host: '127.0.0.1', port }) })
  cleanups.push(() => client.close())
  return client
}

const call = (client: ServiceClient, name: string) =>
  client.call({ method: 'RPC', target: `social.UserService/${name}`, headers: {} })

test('closes only the connection of a client that does not speak Thrift', async () => {
  const { port } = await startServer()
  const socket = openSocket(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: example\r\n\r\n')
  await once(socket.resume(), 'close')
  await expect(call(createClient(port), 'Login')).resolves.toMatchObject({ status: 0 })
})

test('answers pipelined calls in order', async () => {
  const { port } = await startServer()
  const socket = openSocket(port, '127.0.0.1')
  const sequences: number[] = []
  const split = createFrameSplitter((frame) => sequences.push(parseThriftMessage(frame).sequence))
  socket.on('data', split)
  const calls = Array.from({ length: 1_000 }, (_, sequence) =>
    toThriftFrame({ type: MESSAGE.call, name: 'Login', sequence, fields: new Map() }),
  )
  const bytes = Buffer.concat(calls)
  for (let offset = 0; offset < bytes.length; offset += 1_001)
    socket.write(bytes.subarray(offset, offset + 1_001))
  await expect.poll(() => sequences.length).toBe(1_000)
  expect(sequences).toEqual(sequences.toSorted((left, right) => left - right))
  socket.destroy()
})

const { Thrift } = thrift

interface Protocol {
  writeMessageBegin(name: string, type: number, sequence: number): void
  writeFieldBegin(name: string, type: number, id: number): void
  [operation: string]: (...args: any[]) => any
}

/**
 * The client that the Thrift compiler would generate for `string NAME(1: map<string,string> carrier, 2:
 * string message)`.
 */
class LibraryClient {
  readonly _reqs: Record<number, (error: unknown, result?: string) => void> = {}
  readonly output: any
  readonly protocol: any

  constructor(output: any, protocol: any) {
    this.output = output
    this.protocol = protocol
  }

  callMethod(name: string, message: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this._reqs[1] = (error, result) => (error ? reject(error) : resolve(result!))
      const out: Protocol = new this.protocol(this.output)
      out.writeMessageBegin(name, Thrift.MessageType.CALL, 1)
      // An unknown field comes first.
      out.writeFieldBegin('request', Thrift.Type.I64, 7)
      out.writeI64!(42)
      out.writeFieldBegin('carrier', Thrift.Type.MAP, 1)
      out.writeMapBegin!(Thrift.Type.STRING, Thrift.Type.STRING, 1)
      out.writeString!('traceparent')
      out.writeString!('00-12-34-01')
      out.writeFieldBegin('message', Thrift.Type.STRING, 2)
      out.writeString!(message)
      out.writeFieldStop!()
      this.output.flush()
    })
  }

  read(input: Protocol, type: number): void {
    const settle = this._reqs[1]!
    if (type === Thrift.MessageType.EXCEPTION) {
      const exception = new Thrift.TApplicationException()
      exception.read(input as never)
      settle(exception)
      return
    }
    const field = input.readFieldBegin!()
    const result = field.fid === 0 ? input.readString!() : undefined
    input.readFieldBegin!()
    settle(undefined, result)
  }

  recv_Login(input: Protocol, type: number): void {
    this.read(input, type)
  }

  recv_Unknown(input: Protocol, type: number): void {
    this.read(input, type)
  }
}

test('serves the client of the library', async () => {
  const { port } = await startServer()
  const connection = thrift.createConnection('127.0.0.1', port, {
    transport: thrift.TFramedTransport,
    protocol: thrift.TBinaryProtocol,
  })
  connection.on('error', () => {})
  cleanups.push(() => connection.end())
  const client = thrift.createClient(LibraryClient as never, connection) as unknown as LibraryClient
  expect(JSON.parse(await client.callMethod('Login', '{"a":"ü"}'))).toEqual({
    path: 'Login',
    headers: { traceparent: '00-12-34-01' },
    body: { a: 'ü' },
  })
  await expect(client.callMethod('Unknown', 'null')).rejects.toMatchObject({
    type: Thrift.TApplicationExceptionType.UNKNOWN_METHOD,
    message: 'Invalid method name: Unknown',
  })
})
