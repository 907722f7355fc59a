/** Tests the service protocols on the network of simulated hosts. */
import { createVirtualClock, runVirtually, sleep } from '#kit'
import type { ServiceProtocol } from '#world/twin/ports'
import { describeGrpc, describeHttp, describeThrift, type WithServiceSubject } from '#world/twin/testing'
import { createSimulatedTwinHost } from './create-simulated-twin-host.ts'
import { createTestHosts } from './testing/index.ts'

const ANSWER = { content: { status: 200, headers: {}, body: 'ok' }, bytes: 10 }

const withHosts =
  (protocol: ServiceProtocol): WithServiceSubject =>
  async (work) => {
    const clock = createVirtualClock()
    const hosts = createTestHosts(clock)
    const server = hosts.add({ name: 'server' })
    const client = hosts.add({ name: 'client' })
    const start = await createSimulatedTwinHost(server).protocols.serviceServer(protocol)
    const create = await createSimulatedTwinHost(client).protocols.serviceClient(protocol)
    const host = server.network.address
    await runVirtually(clock, () =>
      work({
        host,
        startServer: (handler, options = {}) => start({ port: 0, handler, ...options }),
        createClient: (port, options) => create({ address: async () => ({ host, port }), ...options }),
        startSilentServer: async () =>
          server.network.listen(0, () => () => new Promise<never>(() => {})).port,
        startClosingServer: async (request) => {
          let connections = 0
          const { port } = server.network.listen(0, () => {
            connections += 1
            let requests = 0
            return async () => {
              requests += 1
              if (requests >= request) throw new Error('closed')
              return ANSWER
            }
          })
          return { port, connections: () => connections }
        },
        sleep: (ms) => sleep(clock, ms),
      }),
    )
  }

describeHttp('HTTP between simulated hosts', withHosts('http'))
describeGrpc('gRPC between simulated hosts', withHosts('grpc'))
describeThrift('Thrift between simulated hosts', withHosts('thrift'))
