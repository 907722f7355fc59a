/** Publishes the Service `kube-dns`, the address of the DNS server in a cluster with a real network. */
import { endpointSlices, endpoints, services } from '#platform/kube/kinds'
import type { Client } from '#platform/kube/ports'

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
 * Must be called before other Services allocate addresses. The Service has no pods: the server listens on the cluster IP,
 * so the endpoints have the same address.
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
