/** Creates the network of a cluster from namespaces, rules and DNS. */
import { isIPv4 } from 'node:net'
import { connectInside } from '#machine/linux'
import { followObjects } from '#platform/kube/connectivity'
import type { Client, Outcome, PodNetwork } from '#platform/kube/ports'
import { type ClusterMachine, createClusterMachine } from './cluster-machine.ts'
import type { ClusterNetwork, ClusterNetworkOptions } from './cluster-network.ts'
import { type ClusterRules, createClusterRules } from './cluster-rules.ts'
import { createDeferredDns } from './deferred-dns.ts'
import { type BandwidthLimits, createBandwidthLimits } from './pods/bandwidth-limits.ts'
import { createPodAttacher, findNode, type PodAttacher } from './pods/pod-attacher.ts'
import { createPodAttachments, type PodAttachments } from './pods/pod-attachments.ts'

const outcomeOf = <T>(task: () => T): Outcome<T> => {
  try {
    return { ok: true, value: task() }
  } catch (error) {
    return { ok: false, error: error as Error }
  }
}

interface PodOperationParts extends Pick<ClusterNetworkOptions, 'clock' | 'nodes' | 'onError'> {
  machine: ClusterMachine
  attachments: PodAttachments
  limits: BandwidthLimits
  rules: ClusterRules
  attach: PodAttacher
}

const createPodOperations = (parts: PodOperationParts): PodNetwork => {
  const { clock, nodes, onError, machine, attachments, limits, rules, attach } = parts
  return {
    attachPod(pod, nodeName, reply) {
      clock.defer(() => {
        attach(pod, nodeName)
          .then(
            (value) => reply({ ok: true, value }),
            (error) => reply({ ok: false, error }),
          )
          .catch((error: unknown) => onError('network', error))
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
    async connectLocal(uid, port, host = '127.0.0.1') {
      const space = attachments.namespaceOf(uid)
      if (space === undefined) throw new Error(`the pod ${uid} is not attached to the network`)
      return await connectInside(space, host, port)
    },
    async connectFromNode(nodeName, host, port, signal) {
      const { name } = findNode(nodes, nodeName)
      if (!isIPv4(host)) throw new Error(`dial tcp: lookup ${host}: no such host`)
      return await connectInside(machine.nodeNamespaces.get(name)!, host, port, { signal })
    },
  }
}

/** Needs root and the program `nft`; pods with bandwidth limits also need `ip` and `tc`. */
export const createClusterNetwork = async (options: ClusterNetworkOptions): Promise<ClusterNetwork> => {
  const { clock, nodes } = options
  const machine = createClusterMachine(nodes)
  const { namespace } = machine
  const attachments = createPodAttachments(
    machine,
    nodes,
    options.hasRandomAddresses ? options.random : undefined,
  )
  const limits = createBandwidthLimits(namespace, options)
  const unreachable = new Set<string>()
  const dns = createDeferredDns(namespace, options)
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

  const attach = createPodAttacher({ clock, nodes, attachments, limits, rules, client: () => client })

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
    ...createPodOperations({ ...options, machine, attachments, limits, rules, attach }),

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
