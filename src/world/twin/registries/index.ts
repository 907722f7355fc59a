/** Service registries and the trace store, loaded on first use. */
import type { CreateRegistryClient, RegistryProtocol, StartRegistryServer } from './registry-protocol.ts'

export type { RegistryClient, RegistryProtocol } from './registry-protocol.ts'

export const loadRegistryServer = async (
  protocol: RegistryProtocol | 'jaeger',
): Promise<StartRegistryServer> => {
  switch (protocol) {
    case 'nacos':
      return (await import('./nacos/start-nacos-server.ts')).startNacosServer
    case 'consul':
      return (await import('./consul/start-consul-server.ts')).startConsulServer
    case 'jaeger':
      return (await import('./jaeger/start-jaeger-server.ts')).startJaegerServer
  }
}

export const loadRegistryClient = async (protocol: RegistryProtocol): Promise<CreateRegistryClient> => {
  switch (protocol) {
    case 'nacos':
      return (await import('./nacos/create-nacos-client.ts')).createNacosClient
    case 'consul':
      return (await import('./consul/create-consul-client.ts')).createConsulClient
  }
}
