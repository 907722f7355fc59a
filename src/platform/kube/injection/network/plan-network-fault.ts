/** Plans how a network fault is applied: by rules, by the packet thread or by queueing disciplines. */
import { defined } from '#kit'
import { parsePeer, touchesPackets } from '#platform/kube/packets'
import type { NetworkFault } from '#platform/kube/ports'
import { type Hook, toCutHooks, toQueueHooks } from './firewall.ts'
import type { PacketFault } from './packet-queue.ts'
import { type ShapedFault, toNetem, toTokenBucket } from './queue-disciplines.ts'

export interface NetworkFaultPlan {
  readonly hooks: readonly Hook[]
  readonly packets?: PacketFault
  readonly shape?: ShapedFault
}

/** Throws if a peer is invalid. */
export const planNetworkFault = (
  id: string,
  { effects = {}, cut, peers: requestedPeers }: NetworkFault,
  hasNetem: boolean,
): NetworkFaultPlan => {
  const peers = requestedPeers?.map((peer) => parsePeer(peer).text)
  // An empty list of peers matches no packets.
  if (peers?.length === 0) return { hooks: [] }
  const scope = defined({ peers })
  // Kernels since 2025 reject a duplicating netem if the device has another one.
  const canUseNetem = hasNetem && (effects.duplicate?.percent ?? 0) <= 0
  const isQueued = touchesPackets(effects) && !canUseNetem
  const disciplines = [
    ...(touchesPackets(effects) && canUseNetem ? [toNetem(effects)] : []),
    ...(effects.bandwidth === undefined ? [] : [toTokenBucket(effects.bandwidth)]),
  ]
  return {
    hooks: [
      ...(cut === undefined ? [] : toCutHooks(id, cut, peers)),
      ...(isQueued ? toQueueHooks(id, peers) : []),
    ],
    ...(isQueued ? { packets: { id, ...scope, effects } } : {}),
    ...(disciplines.length > 0 ? { shape: { id, ...scope, disciplines } } : {}),
  }
}
