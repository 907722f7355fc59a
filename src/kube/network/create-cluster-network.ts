/** The network of a cluster: puts namespaces, rules and names together. */
import { isIPv4 } from 'node:net'
import { connectInside } from '../../linux/index.ts'
import { networkPolicies } from '../kinds/index.ts'
import type { Client, Outcome } from '../ports/index.ts'
import { createClusterMachine } from './cluster-machine.ts'
import type { ClusterNetwork, ClusterNetworkOptions, NetworkNode } from './cluster-network.ts'
import { createClusterRules } from './cluster-rules.ts'
import { followObjects } from './follow-objects.ts'
import { createLateDns } from './late-dns.ts'
import { createPodAttachments } from './pods/pod-attachments.ts'

const outcomeOf = <T>(task: () => T): Outcome<T> => {
  try {
    return { ok: true, value: task() }
  } catch (error) {
    return { ok: false, error: error as Error }
  }
}

const findNode = (nodes: readonly NetworkNode[], name: string): NetworkNode => {
  const node = nodes.find((each) => each.name === name)
  if (node === undefined) throw new Error(`the network has no node ${name}`)
  return node
}

/** Needs root and the program `nft`; rejects when it cannot be made. */
export const createClusterNetwork = async (options: ClusterNetworkOptions): Promise<ClusterNetwork> => {
  const { clock, nodes } = options
  const machine = createClusterMachine(nodes)
  const { namespace } = machine
  const attachments = createPodAttachments(machine, nodes)
  const unreachable = new Set<string>()
  const dns = createLateDns(namespace, options)
  let client: Client | undefined
  let unfollow = (): void => {}
  const rules = createClusterRules({
    ...options,
    namespace,
    attachments,
    client: () => client,
    isReachable: (node) => !unreachable.has(node),
  })
  try {
    await rules.start()
    machine.tuneConnections()
  } catch (error) {
    machine.close()
    throw error
  }

  /** A pod must not speak before the policies about it are in force. */
  const afterPolicies = (done: () => void): void => {
    if (client === undefined || client.list(networkPolicies).length === 0) {
      done()
      return
    }
    rules.changed('policies')
    rules
      .settled()
      .then(done)
      .catch((error: unknown) => options.onError('network', error))
  }

  let closing: Promise<void> | undefined
  const closeAll = async (): Promise<void> => {
    unfollow()
    await rules.close()
    await dns.close()
    attachments.close()
    machine.close()
  }

  return {
    namespace,
    dns: dns.faults,
    attachPod(pod, nodeName, reply) {
      clock.defer(() => {
        const outcome = outcomeOf(() => attachments.attach(pod, findNode(nodes, nodeName)))
        rules.changed('services')
        if (outcome.ok) afterPolicies(() => reply(outcome))
        else reply(outcome)
      })
    },
    detachPod(uid, reply) {
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
      const { name } = findNode(nodes, nodeName)
      if (!isIPv4(host)) throw new Error(`dial tcp: lookup ${host}: no such host`)
      return await connectInside(machine.nodeSpaces.get(name)!, host, port, { signal })
    },
    follow(api) {
      client = api
      unfollow = followObjects(api, rules.changed)
      rules.changed('services')
      rules.changed('policies')
      dns.start(api)
    },
    async setNodeReachable(nodeName, reachable) {
      const { name } = findNode(nodes, nodeName)
      if (reachable) unreachable.delete(name)
      else unreachable.add(name)
      rules.changed('nodes')
      await rules.settled()
    },
    close() {
      closing ??= closeAll()
      return closing
    },
  }
}
