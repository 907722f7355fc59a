/**
 * The network namespaces of a cluster: one that routes all packets and has the addresses of the API server and the DNS
 * server, and one for each node, which pods with hostNetwork share.
 */
import {
  createNetworkNamespace,
  LOOPBACK,
  type NetworkNamespace,
  openRouteSocket,
  type RouteSocket,
} from '#machine/linux'
import { DNS_ADDRESS, type NetworkNode, OUTSIDE_ADDRESS, SERVICE_RANGE } from '#platform/kube/connectivity'
import { createConnectedNamespace } from './pods/create-connected-namespace.ts'
import { writeSettings } from './pods/write-settings.ts'

export interface ClusterMachine {
  readonly namespace: NetworkNamespace
  readonly routes: RouteSocket
  /** Keyed by node name. */
  readonly nodeNamespaces: ReadonlyMap<string, NetworkNamespace>
  /** Call after the first rules are applied: the kernel enables connection tracking only then. */
  tuneConnections(): void
  close(): void
}

const SETTINGS = {
  'ipv4/ip_forward': '1',
  'ipv4/conf/all/rp_filter': '0',
  'ipv4/conf/default/rp_filter': '0',
  // A pod that reaches itself through a Service must not receive redirects.
  'ipv4/conf/all/send_redirects': '0',
  'ipv4/conf/default/send_redirects': '0',
  // Sends an ICMP error for every rejected packet, so that clients do not wait for a timeout.
  'ipv4/icmp_ratelimit': '0',
  'ipv6/conf/default/disable_ipv6': '1',
}

/** Injected packet loss and reordering must not make connections invalid. */
const CONNECTION_SETTINGS = { 'netfilter/nf_conntrack_tcp_be_liberal': '1' }

/** The device number of the first node; each further node gets the next number. */
const FIRST_DEVICE = 10

export const createClusterMachine = (nodes: readonly NetworkNode[]): ClusterMachine => {
  const namespace = createNetworkNamespace()
  const nodeNamespaces = new Map<string, NetworkNamespace>()
  let routes: RouteSocket | undefined
  const close = (): void => {
    for (const nodeNamespace of nodeNamespaces.values()) nodeNamespace.close()
    routes?.close()
    namespace.close()
  }
  try {
    routes = openRouteSocket(namespace)
    writeSettings(namespace, SETTINGS)
    routes.setUp(LOOPBACK)
    for (const address of [OUTSIDE_ADDRESS, DNS_ADDRESS]) routes.addAddress(LOOPBACK, address)
    // Service addresses need a route so that their packets reach the rules. There is no default route.
    routes.putRoute({ destination: SERVICE_RANGE, device: LOOPBACK, source: OUTSIDE_ADDRESS })
    for (const [index, { name, hostIP }] of nodes.entries())
      nodeNamespaces.set(name, createConnectedNamespace(routes, FIRST_DEVICE + index, hostIP))
  } catch (error) {
    close()
    throw error
  }
  return {
    namespace,
    routes,
    nodeNamespaces,
    tuneConnections: () => writeSettings(namespace, CONNECTION_SETTINGS),
    close,
  }
}
