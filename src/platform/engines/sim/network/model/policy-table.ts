/** Decides which connections the NetworkPolicies allow. Recomputed at the first query after a change. */
import {
  type AllowedConnections,
  type AttachedPodIdentity,
  type Client,
  isConnectionAllowed,
  isolatedPods,
  networkPolicies,
  peerPods,
  policyPods,
} from '#platform/kube/simulated'
import type { Endpoint } from './endpoint.ts'

/** A connection after the translation of Service addresses; `port` is that of the server. */
export interface Flow {
  readonly client: Endpoint
  readonly server: Endpoint
  readonly protocol: 'TCP' | 'UDP'
  readonly port: number
}

export interface PolicyTable {
  allows(flow: Flow): boolean
  /** Must be called after a change of policies, pods or namespaces. */
  changed(): void
}

type Isolation = ReadonlyMap<string, readonly AllowedConnections[]>

const NONE: Isolation = new Map()

export const createPolicyTable = (
  client: Client,
  attachedPods: () => readonly AttachedPodIdentity[],
): PolicyTable => {
  let egress: Isolation = NONE
  let ingress: Isolation = NONE
  let isCurrent = false

  const refresh = (): void => {
    isCurrent = true
    const policies = client.list(networkPolicies)
    if (policies.length === 0) {
      egress = NONE
      ingress = NONE
      return
    }
    const pods = policyPods(client, attachedPods())
    const input = { policies, pods, candidates: peerPods(client, pods) }
    egress = isolatedPods('Egress', input)
    ingress = isolatedPods('Ingress', input)
  }

  return {
    allows({ client: from, server: to, protocol, port }) {
      if (!isCurrent) refresh()
      // Policies never block a pod from its node or from itself.
      if (from === to || (from.node === to.node && (from.kind === 'node' || to.kind === 'node'))) return true
      const outgoing = egress.get(from.address)
      if (outgoing !== undefined && !isConnectionAllowed(outgoing, to.address, protocol, port)) return false
      const incoming = ingress.get(to.address)
      return incoming === undefined || isConnectionAllowed(incoming, from.address, protocol, port)
    },
    changed() {
      isCurrent = false
    },
  }
}
