/** Registries and the trace store, each loaded when it is first used: a twin pays only for the one it is or asks. */
import type { CreateRegistryClient, RegistryWire, StartRegistryServer } from './registry-wire.ts'

export type { RegistryClient, RegistryWire } from './registry-wire.ts'

export const loadRegistryServer = async (wire: RegistryWire | 'jaeger'): Promise<StartRegistryServer> => {
  switch (wire) {
    case 'nacos':
      return (await import('./nacos/start-nacos-server.ts')).startNacosServer
    case 'consul':
      return (await import('./consul/start-consul-server.ts')).startConsulServer
    case 'jaeger':
      return (await import('./jaeger/start-jaeger-server.ts')).startJaegerServer
  }
}

export const loadRegistryClient = async (wire: RegistryWire): Promise<CreateRegistryClient> => {
  switch (wire) {
    case 'nacos':
      return (await import('./nacos/create-nacos-client.ts')).createNacosClient
    case 'consul':
      return (await import('./consul/create-consul-client.ts')).createConsulClient
  }
}
