/** Combines Services and EndpointSlices into ports with their backends. */
import { isIPv4 } from 'node:net'
import type { Service, ServicePort } from 'kubernetes-types/core/v1.d.ts'
import type { Endpoint, EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { endpointSlices, services } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { DNS_ADDRESS } from '../addresses.ts'

export interface Backend {
  readonly ip: string
  readonly port: number
  readonly nodeName: string | undefined
  readonly ready: boolean
}

export interface BalancedPort {
  /** For example `default/web/http/tcp`. */
  readonly key: string
  readonly protocol: 'tcp' | 'udp' | 'sctp'
  readonly clusterIP: string
  readonly port: number
  readonly nodePort: number | undefined
  /** External IPs and load balancer addresses. */
  readonly externalAddresses: readonly string[]
  readonly affinitySeconds: number | undefined
  readonly internalLocal: boolean
  readonly externalLocal: boolean
  /** Ready endpoints, and terminating ones that still serve. */
  readonly backends: readonly Backend[]
}

const SERVICE_NAME_LABEL = 'kubernetes.io/service-name'

/** The namespace and name of the Service of a slice: `default/web`. */
export const serviceKeyOf = ({ metadata }: Stored<EndpointSlice>): string | undefined => {
  const service = metadata.labels?.[SERVICE_NAME_LABEL]
  return service === undefined ? undefined : `${metadata.namespace}/${service}`
}

const isIPv4Address = (address: string | undefined): address is string => isIPv4(address ?? '')

const backendOf = ({ addresses, conditions, nodeName }: Endpoint, port: number): Backend[] => {
  const ready = conditions?.ready ?? true
  const serving = conditions?.serving ?? ready
  const ip = addresses[0]
  if (!isIPv4Address(ip) || !(ready || (serving && conditions?.terminating === true))) return []
  return [{ ip, port, nodeName, ready }]
}

const backendsOf = (
  slices: readonly Stored<EndpointSlice>[],
  { name = '', protocol }: ServicePort,
): Backend[] => {
  const found = new Map<string, Backend>()
  for (const slice of slices) {
    if (slice.addressType !== 'IPv4') continue
    const port = slice.ports?.find((each) => (each.name ?? '') === name && each.protocol === protocol)?.port
    if (port === undefined) continue
    for (const backend of (slice.endpoints ?? []).flatMap((endpoint) => backendOf(endpoint, port))) {
      const key = `${backend.ip}:${backend.port}`
      // A pod may temporarily be in two slices.
      if (found.get(key)?.ready !== true) found.set(key, backend)
    }
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, backend]) => backend)
}

/** Returns the ports of one Service; none if it has no cluster IP. */
export const balancedPortsOf = (
  service: Stored<Service>,
  slices: readonly Stored<EndpointSlice>[],
): BalancedPort[] => {
  const { metadata, spec, status } = service
  const { clusterIP } = spec
  // The DNS server listens on its address itself.
  if (spec.type === 'ExternalName' || !isIPv4Address(clusterIP) || clusterIP === DNS_ADDRESS) return []
  const ingress = (status.loadBalancer?.ingress ?? []).map(({ ip }) => ip)
  return (spec.ports ?? []).map((port) => {
    const protocol = (port.protocol ?? 'TCP').toLowerCase() as BalancedPort['protocol']
    return {
      key: `${metadata.namespace}/${metadata.name}/${port.name ?? ''}/${protocol}`,
      protocol,
      clusterIP,
      port: port.port,
      nodePort: port.nodePort === 0 ? undefined : port.nodePort,
      externalAddresses: [...new Set([...(spec.externalIPs ?? []), ...ingress].filter(isIPv4Address))],
      affinitySeconds:
        spec.sessionAffinity === 'ClientIP'
          ? spec.sessionAffinityConfig?.clientIP?.timeoutSeconds
          : undefined,
      internalLocal: spec.internalTrafficPolicy === 'Local',
      externalLocal: spec.externalTrafficPolicy === 'Local',
      backends: backendsOf(slices, port),
    }
  })
}

export const balancedPorts = (client: Client): BalancedPort[] => {
  const slicesByService = new Map<string, Stored<EndpointSlice>[]>()
  for (const slice of client.list(endpointSlices)) {
    const key = serviceKeyOf(slice)
    if (key === undefined) continue
    const slices = slicesByService.get(key)
    if (slices === undefined) slicesByService.set(key, [slice])
    else slices.push(slice)
  }
  return client
    .list(services)
    .flatMap((service) =>
      balancedPortsOf(
        service,
        slicesByService.get(`${service.metadata.namespace}/${service.metadata.name}`) ?? [],
      ),
    )
}

/** Returns the backends for new connections: ready ones, or terminating ones if none is ready. */
export const usableBackends = (backends: readonly Backend[]): readonly Backend[] => {
  const ready = backends.filter((backend) => backend.ready)
  return ready.length > 0 ? ready : backends
}
