/** Registries in this process, over sockets. */
import { createProcessResources } from '#world/twin/process'
import { loadServiceClient, loadServiceServer } from '#world/twin/protocols'
import type { RegistryHost } from './registry-host.ts'

const { time, random } = createProcessResources()

export const processRegistryHost: RegistryHost = {
  time,
  random,
  protocols: { serviceServer: loadServiceServer, serviceClient: loadServiceClient },
}
