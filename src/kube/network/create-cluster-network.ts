/** The network of a cluster: puts namespaces, rules and names together. */
import { isIPv4 } from 'node:net'
import {
  connectInside,
  createNetworkNamespace,
  LOOPBACK,
  type NetworkNamespace,
  openRouteSocket,
  type RouteSocket,
} from '../../linux/index.ts'
import { networkPolicies } from '../kinds/index.ts'
import type { Client, Outcome, Reply } from '../ports/index.ts'
import { CLUSTER_DOMAIN, DNS_ADDRESS, OUTSIDE_ADDRESS, ownAddresses, SERVICE_RANGE } from './addresses.ts'
import type { ClusterNetwork, ClusterNetworkOptions, NetworkNode } from './cluster-network.ts'
import { createDnsServer, type DnsServer } from './dns/create-dns-server.ts'
import { followObjects } from './follow-objects.ts'
import { createLateDnsFaults } from './late-dns-faults.ts'
import { createPodAttachments, type PodAttachments, writeSettings } from './pods/pod-attachments.ts'
import { peerPods, policyPods } from './policies/policy-pod.ts'
import { policyRules } from './policies/policy-rules.ts'
import { baseRules } from './rules/base-rules.ts'
import { createRuleKeeper, type RuleKeeper } from './rules/rule-keeper.ts'
import { createShortNames } from './rules/short-names.ts'
import { createDatagramServers } from './services/datagram-servers.ts'
import { balancedPorts } from './services/service-port.ts'
import { serviceRules } from './services/service-rules.ts'

type Part = 'nodes' | 'services' | 'policies'

const CLUSTER_SETTINGS = {
  'ipv4/ip_forward': '1',
  'ipv4/ping_group_range': '0 2147483647',
  'ipv4/ip_unprivileged_port_start': '0',
  'ipv4/conf/all/rp_filter': '0',
  'ipv4/conf/default/rp_filter': '0',
  // A pod that reaches itself through a Service must not be told of a shorter way.
  'ipv4/conf/all/send_redirects': '0',
  'ipv4/conf/default/send_redirects': '0',
  // Every refusal is told: clients must not wait for a timeout.
  'ipv4/icmp_ratelimit': '0',
  'ipv6/conf/default/disable_ipv6': '1',
}

/** Lost and reordered packets, which faults make, do not end a connection. Exists once rules need connections. */
const CONNECTION_SETTINGS = { 'netfilter/nf_conntrack_tcp_be_liberal': '1' }

const setUp = (namespace: NetworkNamespace, routes: RouteSocket, nodes: readonly NetworkNode[]): void => {
  writeSettings(namespace, CLUSTER_SETTINGS)
  routes.setUp(LOOPBACK)
  for (const address of ownAddresses(nodes)) routes.addAddress(LOOPBACK, address)
  // Leads to the rules, which know where Services are. There is no way to anywhere else.
  routes.putRoute({ destination: SERVICE_RANGE, device: LOOPBACK, source: OUTSIDE_ADDRESS })
}

const outcomeOf = <T>(task: () => T): Outcome<T> => {
  try {
    return { ok: true, value: task() }
  } catch (error) {
    return { ok: false, error: error as Error }
  }
}

interface Situation extends ClusterNetworkOptions {
  namespace: NetworkNamespace
  attachments: PodAttachments
  client(): Client | undefined
  isReachable(node: string): boolean
}

const createRules = (situation: Situation): RuleKeeper<Part> => {
  const { nodes, attachments, client, isReachable } = situation
  const [serviceNames, policyNames] = [createShortNames(), createShortNames()]
  const servers = createDatagramServers(situation.namespace)
  return createRuleKeeper<Part>({
    ...situation,
    onApplied: servers.forgetGone,
    parts: {
      nodes: () => baseRules(nodes, isReachable),
      services: () => {
        const api = client()
        const ports = api === undefined ? [] : balancedPorts(api)
        servers.see(ports)
        return serviceNames.round((idOf) => serviceRules(ports, attachments.list(), nodes, idOf))
      },
      policies: () => {
        const api = client()
        const policies = api?.list(networkPolicies) ?? []
        const pods = api === undefined || policies.length === 0 ? [] : policyPods(api, attachments.list())
        const everybody = api === undefined ? [] : peerPods(api, pods)
        return policyNames.round((idOf) => policyRules({ policies, pods, everybody, nodes }, idOf))
      },
    },
  })
}

/** Needs root. Rejects when the kernel or the programs `nft` needs are not there. */
export const createClusterNetwork = async (options: ClusterNetworkOptions): Promise<ClusterNetwork> => {
  const { clock, random, nodes, onError } = options
  const namespace = createNetworkNamespace()
  const routes = openRouteSocket(namespace)
  const attachments = createPodAttachments(namespace, routes, nodes)
  const unreachable = new Set<string>()
  const faults = createLateDnsFaults()
  let client: Client | undefined
  let unfollow = (): void => {}
  let dns: Promise<DnsServer | undefined> = Promise.resolve(undefined)
  const rules = createRules({
    ...options,
    namespace,
    attachments,
    client: () => client,
    isReachable: (node) => !unreachable.has(node),
  })

  const release = (): void => {
    attachments.close()
    routes.close()
    namespace.close()
  }
  try {
    setUp(namespace, routes, nodes)
    await rules.start()
    writeSettings(namespace, CONNECTION_SETTINGS)
  } catch (error) {
    release()
    throw error
  }

  /** A pod must not speak before the policies about it are in force. */
  const afterPolicies = (done: () => void): void => {
    if (client === undefined || client.list(networkPolicies).length === 0) {
      done()
      return
    }
    rules.changed('policies')
    rules.settled().then(done)
  }

  const startDns = async (api: Client): Promise<DnsServer | undefined> => {
    try {
      const server = await createDnsServer({
        namespace,
        address: DNS_ADDRESS,
        clusterDomain: CLUSTER_DOMAIN,
        client: api,
        clock,
        random,
        onError,
      })
      faults.serve(server.faults)
      return server
    } catch (error) {
      onError('dns', error)
      return undefined
    }
  }

  let closing: Promise<void> | undefined
  const closeAll = async (): Promise<void> => {
    unfollow()
    await rules.close()
    await (await dns)?.close()
    release()
  }

  return {
    namespace,
    dns: faults,
    attachPod(pod, nodeName, reply) {
      clock.defer(() => {
        const outcome = outcomeOf(() => attachments.attach(pod, nodeName))
        rules.changed('services')
        if (outcome.ok) afterPolicies(() => reply(outcome))
        else reply(outcome)
      })
    },
    detachPod(uid, reply: Reply<void>) {
      clock.defer(() => {
        const outcome = outcomeOf(() => attachments.detach(uid))
        rules.changed('services')
        rules.changed('policies')
        reply(outcome)
      })
    },
    async connectLocal(uid, port) {
      const space = attachments.namespaceOf(uid)
      if (space === undefined) throw new Error(`the pod ${uid} is not in the network`)
      return await connectInside(space, '127.0.0.1', port)
    },
    async connectFromNode(nodeName, host, port, signal) {
      const node = nodes.find(({ name }) => name === nodeName)
      if (node === undefined) throw new Error(`the network has no node ${nodeName}`)
      if (!isIPv4(host)) throw new Error(`dial tcp: lookup ${host}: no such host`)
      const from = host.startsWith('127.') ? {} : { from: node.hostIP }
      return await connectInside(namespace, host, port, { signal, ...from })
    },
    follow(api) {
      client = api
      unfollow = followObjects(api, rules.changed)
      rules.changed('services')
      rules.changed('policies')
      dns = startDns(api)
    },
    async setNodeReachable(node, reachable) {
      if (reachable) unreachable.delete(node)
      else unreachable.add(node)
      rules.changed('nodes')
      await rules.settled()
    },
    close() {
      closing ??= closeAll()
      return closing
    },
  }
}
