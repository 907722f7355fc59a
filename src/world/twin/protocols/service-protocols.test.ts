/** Tests the service protocols over sockets. */
import { createServer, type Server, type Socket } from 'node:net'
import type { ServiceProtocol } from '#world/twin/ports'
import { describeGrpc, describeHttp, describeThrift, type WithServiceSubject } from '#world/twin/testing'
import { loadServiceClient, loadServiceServer } from './index.ts'

const HOST = '127.0.0.1'

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** Starts a server that handles raw connections, so that it can violate the protocol. */
const startRawServer = async (
  cleanups: (() => unknown)[],
  onConnection: (socket: Socket) => void,
): Promise<number> => {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    cleanups.push(() => socket.destroy())
    onConnection(socket)
  })
  cleanups.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  return (server.address() as { port: number }).port
}

const withSockets =
  (protocol: ServiceProtocol): WithServiceSubject =>
  async (work) => {
    const cleanups: (() => unknown)[] = []
    const start = await loadServiceServer(protocol)
    const create = await loadServiceClient(protocol)
    try {
      await work({
        host: HOST,
        startServer: async (handler, options = {}) => {
          const server = await start({ port: 0, handler, ...options })
          cleanups.push(() => server.close(0))
          return server
        },
        createClient: (port, options) => {
          const client = create({ address: async () => ({ host: HOST, port }), ...options })
          cleanups.push(() => client.close())
          return client
        },
        startSilentServer: () => startRawServer(cleanups, (socket) => socket.resume()),
        startClosingServer: async (request) => {
          let connections = 0
          const port = await startRawServer(cleanups, (socket) => {
            connections += 1
            let requests = 0
            socket.on('data', () => {
              requests += 1
              if (requests >= request) socket.destroy()
              else socket.write(ANSWER)
            })
          })
          return { port, connections: () => connections }
        },
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      })
    } finally {
      for (const close of cleanups.reverse()) await close()
    }
  }

describeHttp('HTTP over sockets', withSockets('http'))
describeGrpc('gRPC over sockets', withSockets('grpc'))
describeThrift('Thrift over sockets', withSockets('thrift'))
