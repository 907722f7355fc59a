/** The Service `kubernetes`, the address of the API server for pods. */
import type { Endpoints, Service } from 'kubernetes-types/core/v1.d.ts'
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { endpointSlices, endpoints, type Kind, services } from '#platform/kube/kinds'
import type { Draft } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'

const NAME = 'kubernetes'
const NAMESPACE = 'default'
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

/** Creates or updates the Service with the server's address. */
export const publishKubernetesService = (client: Client, host: string, port: number): void => {
  const ip = host.startsWith('127.') || host === '0.0.0.0' ? NODE_GATEWAY : host
  const apply = <T>(kind: Kind<T>, draft: Draft<T>): void => {
    const { metadata: _metadata, ...content } = draft
    const current = client.get(kind, NAMESPACE, NAME)
    if (current === undefined) client.create(kind, draft)
    else client.update(kind, { ...current, ...content })
  }
  apply(services, service(port))
  apply(endpoints, endpointsAt(ip, port))
  apply(endpointSlices, sliceAt(ip, port))
}
