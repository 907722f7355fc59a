/** The Service `kubernetes`, by which pods find the API server. */
import type { Endpoints, Service } from 'kubernetes-types/core/v1.d.ts'
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { endpointSlices, endpoints, type Kind, services } from '../kinds/index.ts'
import type { Draft } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'

const NAME = 'kubernetes'
const NAMESPACE = 'default'
const API_ADDRESS = '10.96.0.1'
/** Where the default nodes see their host: endpoints must not be loopback addresses. */
const HOST_OF_NODES = '172.18.0.1'

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

/** Everything under which pods and people reach the API server. */
export const apiServerNames = (host: string): readonly string[] => [
  ...new Set([
    host,
    'localhost',
    '127.0.0.1',
    HOST_OF_NODES,
    API_ADDRESS,
    NAME,
    `${NAME}.${NAMESPACE}`,
    `${NAME}.${NAMESPACE}.svc`,
    `${NAME}.${NAMESPACE}.svc.cluster.local`,
  ]),
]

/** Makes the Service once the server's place is known, and moves it when the server has moved. */
export const publishKubernetesService = (client: Client, host: string, port: number): void => {
  const ip = host.startsWith('127.') || host === '0.0.0.0' ? HOST_OF_NODES : host
  const keep = <T>(kind: Kind<T>, draft: Draft<T>): void => {
    const { metadata: _metadata, ...content } = draft
    const current = client.get(kind, NAMESPACE, NAME)
    if (current === undefined) client.create(kind, draft)
    else client.update(kind, { ...current, ...content })
  }
  keep(services, service(port))
  keep(endpoints, endpointsAt(ip, port))
  keep(endpointSlices, sliceAt(ip, port))
}
