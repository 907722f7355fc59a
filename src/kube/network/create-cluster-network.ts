/** The network of a cluster: puts namespaces, rules and names together. */
import { isIPv4 } from 'node:net'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { connectInside } from '../../linux/index.ts'
import { networkPolicies } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Client, Outcome, PodAttachment } from '../ports/index.ts'
import { createClusterMachine } from './cluster-machine.ts'
import type { ClusterNetwork, ClusterNetworkOptions, NetworkNode } from './cluster-network.ts'
import { createClusterRules } from './cluster-rules.ts'
import { followObjects } from './follow-objects.ts'
import { createLateDns } from './late-dns.ts'
import { createBandwidthLimits } from './pods/bandwidth-limits.ts'
import { createPodAttachments } from './pods/pod-attachments.ts'

/** After this time the pod is told to try again. */
const POLICY_PATIENCE_MS = 30_000

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
  const limits = createBandwidthLimits(namespace, options)
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

  /** A pod must not speak before the policies about it are in force; where that fails, its events say so. */
  const policiesInForce = async (): Promise<boolean> => {
    if (client === undefined || client.list(networkPolicies).length === 0) return true
    rules.changed('policies')
    return await new Promise((resolve) => {
      const patience = clock.after(POLICY_PATIENCE_MS, () => resolve(false))
      rules.settled().then(() => {
        patience.cancel()
        resolve(true)
      })
    })
  }

  const attach = async (pod: Stored<Pod>, nodeName: string): Promise<PodAttachment> => {
    try {
      const attachment = attachments.attach(pod, findNode(nodes, nodeName))
      await limits.put(pod, attachments.deviceOf(pod.metadata.uid))
      if (!(await policiesInForce())) throw new Error('the NetworkPolicies of the pod are not in force yet')
      // The descriptor behind the path may be another pod's by now.
      if (attachments.namespaceOf(pod.metadata.uid)?.path !== attachment.namespacePath)
        throw new Error('the pod was taken out of the network')
      return attachment
    } finally {
      rules.changed('services')
    }
  }

  let closing: Promise<void> | undefined
  const closeAll = async (): Promise<void> => {
    unfollow()
    await rules.close()
    await dns.close()
    await limits.close()
    attachments.close()
    machine.close()
  }

  return {
    namespace,
    dns: dns.faults,
    attachPod(pod, nodeName, reply) {
      clock.defer(() => {
        attach(pod, nodeName)
          .then(
            (value) => reply({ ok: true, value }),
            (error) => reply({ ok: false, error }),
          )
          .catch((error: unknown) => options.onError('network', error))
      })
    },
    detachPod(uid, reply) {
      clock.defer(() => {
        limits.release(uid)
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
    settled: async () => {
      await rules.settled()
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
