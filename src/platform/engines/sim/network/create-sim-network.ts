/** Creates the model of a cluster's network. */
import { isIPv4 } from 'node:net'
import {
  DNS_ADDRESS,
  followObjects,
  type NetworkNode,
  OUTSIDE_ADDRESS,
  services,
} from '#platform/kube/simulated'
import type { ProgramConnection } from '#spec'
import { type AttachedPod, attachPod } from './attach-pod.ts'
import { createEndpoint, createProcess, type Endpoint } from './model/endpoint.ts'
import { addCut, addEffects } from './model/network-faults.ts'
import type { NetworkState } from './model/network-state.ts'
import { createPolicyTable } from './model/policy-table.ts'
import { createServiceTable } from './model/service-table.ts'
import { createAddressTranslator } from './model/translate-address.ts'
import { createClusterDns } from './names/cluster-dns.ts'
import { connectError, lookupError } from './network-error.ts'
import { listenOn } from './program-network.ts'
import type { SimNetwork, SimNetworkOptions } from './sim-network.ts'
import { dialTarget } from './tcp/dial.ts'

const findNode = (nodes: readonly NetworkNode[], name: string): NetworkNode => {
  const node = nodes.find((each) => each.name === name)
  if (node === undefined) throw new Error(`the network has no node ${name}`)
  return node
}

const createState = (
  { clock, random, client, nodes }: SimNetworkOptions,
  pods: ReadonlyMap<string, AttachedPod>,
): NetworkState => {
  const fixed = [
    createEndpoint('outside', OUTSIDE_ADDRESS),
    createEndpoint('outside', DNS_ADDRESS),
    ...nodes.map(({ name, hostIP }) => createEndpoint('node', hostIP, { node: name })),
  ]
  return {
    clock,
    random: random.fork('packets'),
    choices: random.fork('services'),
    epoch: 0,
    endpoints: new Map(fixed.map((endpoint) => [endpoint.address, endpoint])),
    unreachableNodes: new Set(),
    services: createServiceTable(client, nodes),
    policies: createPolicyTable(client, () => [...pods.values()]),
  }
}

export const createSimNetwork = (options: SimNetworkOptions): SimNetwork => {
  const { client, nodes } = options
  const pods = new Map<string, AttachedPod>()
  const network = createState(options, pods)
  const dns = createClusterDns(options)
  const translator = createAddressTranslator(network, (node) => findNode(nodes, node).hostIP)
  const unfollow = followObjects(client, (part) => {
    if (part !== 'policies') return
    network.policies.changed()
    network.epoch += 1
  })

  const findPod = (uid: string): AttachedPod => {
    const pod = pods.get(uid)
    if (pod === undefined) throw new Error(`the pod ${uid} is not attached to the network`)
    return pod
  }

  /** Connects from a permanent program of the laboratory. */
  const connectFrom = (
    from: Endpoint,
    host: string,
    port: number,
    signal: AbortSignal | undefined,
  ): Promise<ProgramConnection> =>
    dialTarget(network, createProcess(from), translator.translate(from, host, port), { port, signal })

  return {
    attachPod: (pod, { ip, node }) =>
      attachPod({ network, dns, translator, pods }, pod, { ip, node: findNode(nodes, node) }),
    async connectFromNode(node, host, port, signal) {
      if (!isIPv4(host)) throw lookupError('ENOTFOUND', host)
      return connectFrom(network.endpoints.get(findNode(nodes, node).hostIP)!, host, port, signal)
    },
    async connectFromOutside({ namespace, service, port }, signal) {
      // Looked up for every connection, because the Service may have been recreated.
      const address = client.get(services, namespace, service)?.spec.clusterIP
      if (address === undefined || !isIPv4(address)) throw connectError('ECONNREFUSED', service, port)
      return connectFrom(network.endpoints.get(OUTSIDE_ADDRESS)!, address, port, signal)
    },
    listenOutside(port, accept) {
      const process = createProcess(network.endpoints.get(OUTSIDE_ADDRESS)!)
      return { port, close: listenOn(process, { port, accept, process }) }
    },
    hasListener(uid, port) {
      const { listeners } = findPod(uid).endpoint
      return port === undefined ? listeners.size > 0 : listeners.has(port)
    },
    async connectInside(uid, port, via, signal) {
      const { endpoint } = findPod(uid)
      return connectFrom(endpoint, via === 'loopback' ? '127.0.0.1' : endpoint.address, port, signal)
    },
    applyEffects: (uid, effects, peers) => addEffects(network, findPod(uid).endpoint, effects, peers),
    cut: (uid, direction, peers) => addCut(network, findPod(uid).endpoint, direction, peers),
    interfereDns: (uid, rule) => dns.interfere(findPod(uid).ip, rule),
    setNodeReachable(node, isReachable) {
      const { name } = findNode(nodes, node)
      if (isReachable) network.unreachableNodes.delete(name)
      else network.unreachableNodes.add(name)
      network.epoch += 1
    },
    close() {
      unfollow()
      network.services.close()
      dns.close()
    },
  }
}
