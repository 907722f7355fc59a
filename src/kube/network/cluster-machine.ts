/**
 * The namespaces that are the machine of a cluster: one that all packets pass, where its API server and its DNS have
 * their addresses, and one for each node, which pods share that want the network of their host.
 */
import {
  createNetworkNamespace,
  LOOPBACK,
  type NetworkNamespace,
  openRouteSocket,
  type RouteSocket,
} from '../../linux/index.ts'
import { DNS_ADDRESS, OUTSIDE_ADDRESS, SERVICE_RANGE } from './addresses.ts'
import type { NetworkNode } from './cluster-network.ts'
import { connectSpace } from './pods/connect-space.ts'
import { writeSettings } from './pods/write-settings.ts'

export interface ClusterMachine {
  readonly namespace: NetworkNamespace
  readonly routes: RouteSocket
  /** By the name of the node. */
  readonly nodeSpaces: ReadonlyMap<string, NetworkNamespace>
  /** To be called once there are rules: only then the kernel looks at connections. */
  tuneConnections(): void
  close(): void
}

const SETTINGS = {
  'ipv4/ip_forward': '1',
  'ipv4/conf/all/rp_filter': '0',
  'ipv4/conf/default/rp_filter': '0',
  // A pod that reaches itself through a Service must not be told of a shorter way.
  'ipv4/conf/all/send_redirects': '0',
  'ipv4/conf/default/send_redirects': '0',
  // Every refusal is told: clients must not wait for a timeout.
  'ipv4/icmp_ratelimit': '0',
  'ipv6/conf/default/disable_ipv6': '1',
}

/** Lost and reordered packets, which faults make, do not end a connection. */
const CONNECTION_SETTINGS = { 'netfilter/nf_conntrack_tcp_be_liberal': '1' }

/** The numbers of the devices that lead to the nodes begin here. */
const FIRST_DEVICE = 10

export const createClusterMachine = (nodes: readonly NetworkNode[]): ClusterMachine => {
  const namespace = createNetworkNamespace()
  const nodeSpaces = new Map<string, NetworkNamespace>()
  let routes: RouteSocket | undefined
  const close = (): void => {
    for (const space of nodeSpaces.values()) space.close()
    routes?.close()
    namespace.close()
  }
  try {
    routes = openRouteSocket(namespace)
    writeSettings(namespace, SETTINGS)
    routes.setUp(LOOPBACK)
    for (const address of [OUTSIDE_ADDRESS, DNS_ADDRESS]) routes.addAddress(LOOPBACK, address)
    // Leads to the rules, which know where Services are. There is no way to anywhere else.
    routes.putRoute({ destination: SERVICE_RANGE, device: LOOPBACK, source: OUTSIDE_ADDRESS })
    for (const [index, { name, hostIP }] of nodes.entries())
      nodeSpaces.set(name, connectSpace(routes, FIRST_DEVICE + index, hostIP))
  } catch (error) {
    close()
    throw error
  }
  return {
    namespace,
    routes,
    nodeSpaces,
    tuneConnections: () => writeSettings(namespace, CONNECTION_SETTINGS),
    close,
  }
}
