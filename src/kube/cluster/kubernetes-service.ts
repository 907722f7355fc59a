/** The Service `kubernetes`, by which pods find the API server. */
import type { Endpoints, Service } from 'kubernetes-types/core/v1.d.ts'
import { endpoints, services } from '../kinds/index.ts'
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

const endpointsAt = (host: string, port: number): Draft<Endpoints> => ({
  metadata: {
    name: NAME,
    namespace: NAMESPACE,
    labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
  },
  subsets: [
    {
      addresses: [{ ip: host.startsWith('127.') ? HOST_OF_NODES : host }],
      ports: [{ name: 'https', port, protocol: 'TCP' }],
    },
  ],
})

/** Makes the Service, once the server's place is known. */
export const publishKubernetesService = (client: Client, host: string, port: number): void => {
  if (client.get(services, NAMESPACE, NAME) === undefined) client.create(services, service(port))
  if (client.get(endpoints, NAMESPACE, NAME) === undefined) client.create(endpoints, endpointsAt(host, port))
}
