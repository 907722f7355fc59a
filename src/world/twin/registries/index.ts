/** Service registries and the trace store, loaded on first use. */

import type { ListeningServer } from '#world/twin/ports'
import type { RegistryHost } from './registry-host.ts'
import type {
  CreateRegistryClient,
  RegistryClient,
  RegistryClientOptions,
  RegistryProtocol,
  RegistryServerOptions,
  StartRegistryServer,
} from './registry-protocol.ts'

export type { RegistryProtocol } from './registry-protocol.ts'

type StartOnHost = (host: RegistryHost, options: RegistryServerOptions) => Promise<ListeningServer>
type CreateOnHost = (host: RegistryHost, options: RegistryClientOptions) => RegistryClient

/** Loads the parts that need no sockets, for registries in simulated containers. */
export const loadRegistryCores = async () => ({
  startNacosServer: (await import('./nacos/start-nacos-server.ts')).startNacosServer,
  startConsulServer: (await import('./consul/start-consul-server.ts')).startConsulServer,
  startJaegerServer: (await import('./jaeger/start-jaeger-server.ts')).startJaegerServer,
  createNacosClient: (await import('./nacos/create-nacos-client.ts')).createNacosClient,
  createConsulClient: (await import('./consul/create-consul-client.ts')).createConsulClient,
})

const loadServerOnHost = async (protocol: RegistryProtocol | 'jaeger'): Promise<StartOnHost> => {
  switch (protocol) {
    case 'nacos':
      return (await import('./nacos/start-nacos-server.ts')).startNacosServer
    case 'consul':
      return (await import('./consul/start-consul-server.ts')).startConsulServer
    case 'jaeger': {
      const { startJaegerServer } = await import('./jaeger/start-jaeger-server.ts')
      const { listenForDatagrams } = await import('./jaeger/listen-for-datagrams.ts')
      return (host, options) => startJaegerServer(host, options, listenForDatagrams)
    }
  }
}

const loadClientOnHost = async (protocol: RegistryProtocol): Promise<CreateOnHost> => {
  switch (protocol) {
    case 'nacos':
      return (await import('./nacos/create-nacos-client.ts')).createNacosClient
    case 'consul':
      return (await import('./consul/create-consul-client.ts')).createConsulClient
  }
}

export const loadRegistryServer = async (
  protocol: RegistryProtocol | 'jaeger',
): Promise<StartRegistryServer> => {
  const { processRegistryHost } = await import('./process-registry-host.ts')
  const start = await loadServerOnHost(protocol)
  return (options) => start(processRegistryHost, options)
}

export const loadRegistryClient = async (protocol: RegistryProtocol): Promise<CreateRegistryClient> => {
  const { processRegistryHost } = await import('./process-registry-host.ts')
  const create = await loadClientOnHost(protocol)
  return (options) => create(processRegistryHost, options)
}
