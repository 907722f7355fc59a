/** The Service `kube-dns`, under whose address a cluster with a real network answers questions about names. */
import { endpointSlices, endpoints, services } from '../kinds/index.ts'
import type { Client } from '../ports/index.ts'

const NAME = 'kube-dns'
const NAMESPACE = 'kube-system'
const DNS_ADDRESS = '10.96.0.10'

const LABELS = {
  'k8s-app': NAME,
  'kubernetes.io/cluster-service': 'true',
  'kubernetes.io/name': 'CoreDNS',
}

const PORTS = [
  { name: 'dns', port: 53, protocol: 'UDP' },
  { name: 'dns-tcp', port: 53, protocol: 'TCP' },
]

/**
 * To be called before anybody else chooses an address. No pod stands behind it: the server listens on the
 * address itself, and so that is where its endpoints lead.
 */
export const publishDnsService = (client: Client): void => {
  if (client.get(services, NAMESPACE, NAME) !== undefined) return
  client.create(services, {
    metadata: { name: NAME, namespace: NAMESPACE, labels: LABELS },
    spec: {
      type: 'ClusterIP',
      clusterIP: DNS_ADDRESS,
      ports: PORTS.map((port) => ({ ...port, targetPort: port.port })),
    },
  })
  client.create(endpoints, {
    metadata: {
      name: NAME,
      namespace: NAMESPACE,
      labels: { ...LABELS, 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    },
    subsets: [{ addresses: [{ ip: DNS_ADDRESS }], ports: PORTS }],
  })
  client.create(endpointSlices, {
    metadata: { name: NAME, namespace: NAMESPACE, labels: { ...LABELS, 'kubernetes.io/service-name': NAME } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [DNS_ADDRESS], conditions: { ready: true } }],
    ports: PORTS,
  })
}
