/** The environment variables with which containers find Services without DNS. */
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import { services } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'

const variableName = (text: string): string => text.toUpperCase().replaceAll('-', '_')

const addVariables = (service: Stored<Service>, variables: Record<string, string>): void => {
  const { clusterIP, ports = [] } = service.spec
  const [first] = ports
  if (clusterIP === undefined || clusterIP === '' || clusterIP === 'None' || first === undefined) return
  const prefix = variableName(service.metadata.name)
  variables[`${prefix}_SERVICE_HOST`] = clusterIP
  variables[`${prefix}_SERVICE_PORT`] = String(first.port)
  for (const { name, port } of ports) {
    if (name !== undefined) variables[`${prefix}_SERVICE_PORT_${variableName(name)}`] = String(port)
  }
  for (const [index, { port, protocol = 'TCP' }] of ports.entries()) {
    const url = `${protocol.toLowerCase()}://${clusterIP}:${port}`
    if (index === 0) variables[`${prefix}_PORT`] = url
    const portPrefix = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`
    variables[portPrefix] = url
    variables[`${portPrefix}_PROTO`] = protocol.toLowerCase()
    variables[`${portPrefix}_PORT`] = String(port)
    variables[`${portPrefix}_ADDR`] = clusterIP
  }
}

export interface ServiceLinks {
  /** Returns the variables of the API server's Service and, if `enabled`, of the namespace's Services. */
  variablesFor(namespace: string, enabled: boolean): Readonly<Record<string, string>>
  stop(): void
}

/** Caches the variables of each namespace until a Service changes. */
export const createServiceLinks = (client: Client): ServiceLinks => {
  const cache = new Map<string, Readonly<Record<string, string>>>()
  const stop = client.watch(services, () => cache.clear())
  return {
    stop,
    variablesFor(namespace, enabled) {
      const key = `${namespace}/${enabled}`
      const cached = cache.get(key)
      if (cached !== undefined) return cached
      const variables: Record<string, string> = {}
      const api = client.get(services, 'default', 'kubernetes')
      if (api !== undefined) addVariables(api, variables)
      if (enabled) for (const service of client.list(services, namespace)) addVariables(service, variables)
      cache.set(key, variables)
      return variables
    },
  }
}
