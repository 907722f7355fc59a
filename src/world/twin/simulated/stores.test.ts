/** Tests the stores on the network of simulated hosts. */
import { createVirtualClock, runVirtually, sleep } from '#kit'
import {
  DEFAULT_STORE_OPTIONS,
  describeAmqp,
  describeMemcached,
  describeMongodb,
  describeMysql,
  describeRedis,
  type StoreProtocol,
  type WithStoreSubject,
} from '#world/twin/testing'
import { createSimulatedTwinHost } from './create-simulated-twin-host.ts'
import { createTestHosts } from './testing/index.ts'

const withHosts =
  (protocol: StoreProtocol): WithStoreSubject =>
  async (work) => {
    const clock = createVirtualClock()
    const hosts = createTestHosts(clock)
    const server = hosts.add({ name: 'server' })
    const client = hosts.add({ name: 'client' })
    const start = await createSimulatedTwinHost(server).protocols.storeServer(protocol)
    const create = await createSimulatedTwinHost(client).protocols.storeClient(protocol)
    const host = server.network.address
    let folders = 0
    await runVirtually(clock, () =>
      work({
        host,
        clientHost: client.network.address,
        startServer: (options = {}) => start({ ...DEFAULT_STORE_OPTIONS, ...options }),
        createClient: (port, options) => create({ address: async () => ({ host, port }), ...options }),
        makeFolder: () => `/data/${folders++}`,
        sleep: (ms) => sleep(clock, ms),
      }),
    )
  }

describeAmqp('AMQP between simulated hosts', withHosts('amqp'))
describeMemcached('memcached between simulated hosts', withHosts('memcached'))
describeMongodb('MongoDB between simulated hosts', withHosts('mongodb'))
describeMysql('MySQL between simulated hosts', withHosts('mysql'))
describeRedis('Redis between simulated hosts', withHosts('redis'))
