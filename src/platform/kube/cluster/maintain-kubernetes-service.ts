/** Maintains the Service `kubernetes`, the address of the API server for pods. */
import type { Endpoints, Service } from 'kubernetes-types/core/v1.d.ts'
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import type { Clock, Timer } from '#kit'
import { endpointSlices, endpoints, type Kind, services } from '#platform/kube/kinds'
import type { Draft, Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'

const NAME = 'kubernetes'
const NAMESPACE = 'default'
/** The interval of a real server. */
const INTERVAL_MS = 10_000
const API_ADDRESS = '10.96.0.1'
/** The host's address on the network of the default nodes; endpoints must not be loopback addresses. */
const NODE_GATEWAY = '172.18.0.1'

const service = (port: number): Draft<Service> => ({
  metadata: { name: NAME, namespace: NAMESPACE, labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    type: 'ClusterIP',
    clusterIP: API_ADDRESS,
    ipFamilyPolicy: 'SingleStack',
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
  },
})

const endpointsAt = (ip: string, port: number): Draft<Endpoints> => ({
  metadata: {
    name: NAME,
    namespace: NAMESPACE,
    labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
  },
  subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
})

const sliceAt = (ip: string, port: number): Draft<EndpointSlice> => ({
  metadata: { name: NAME, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': NAME } },
  addressType: 'IPv4',
  endpoints: [{ addresses: [ip], conditions: { ready: true } }],
  ports: [{ name: 'https', port, protocol: 'TCP' }],
})

/** The names and addresses of the API server, for its certificate. */
export const apiServerNames = (host: string): readonly string[] => [
  ...new Set([
    host,
    'localhost',
    '127.0.0.1',
    NODE_GATEWAY,
    API_ADDRESS,
    NAME,
    `${NAME}.${NAMESPACE}`,
    `${NAME}.${NAMESPACE}.svc`,
    `${NAME}.${NAMESPACE}.svc.cluster.local`,
  ]),
]

/** Creates the Service and its endpoints if they are missing, and corrects type, ports and addresses. */
const publish = (client: Client, host: string, port: number): void => {
  const ip = host.startsWith('127.') || host === '0.0.0.0' ? NODE_GATEWAY : host
  const apply = <T>(kind: Kind<T>, draft: Draft<T>, correct: (current: Stored<T>) => object): void => {
    const current = client.get(kind, NAMESPACE, NAME)
    if (current === undefined) client.create(kind, draft)
    else client.update(kind, { ...current, ...correct(current) })
  }
  const desired = service(port)
  const { type, ports } = desired.spec!
  apply(services, desired, ({ spec }) => ({ spec: { ...spec, type, ports } }))
  const { metadata: _, ...endpointsContent } = endpointsAt(ip, port)
  apply(endpoints, endpointsAt(ip, port), () => endpointsContent)
  const { metadata: __, ...sliceContent } = sliceAt(ip, port)
  apply(endpointSlices, sliceAt(ip, port), () => sliceContent)
}

export interface KubernetesServiceOptions {
  client: Client
  clock: Clock
  host: string
  port: number
  /** Called if a later publication fails; the next one follows after the interval. */
  onError(error: unknown): void
}

/** Publishes the Service now and every ten seconds, until the returned function is called. */
export const maintainKubernetesService = (options: KubernetesServiceOptions): (() => void) => {
  const { client, clock, host, port, onError } = options
  let timer: Timer
  const repeat = (): void => {
    timer = clock.after(INTERVAL_MS, () => {
      try {
        publish(client, host, port)
      } catch (error) {
        onError(error)
      }
      repeat()
    })
  }
  publish(client, host, port)
  repeat()
  return () => timer.cancel()
}
