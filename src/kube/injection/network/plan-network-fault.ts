/** Which means do what a network fault says: rules, a program that handles packets, disciplines of the device. */
import type { NetworkFault } from '../../ports/index.ts'
import { type Hook, toCut, toQueue } from './firewall.ts'
import { touchesPackets } from './packet-effects.ts'
import type { PacketFault } from './packet-queue.ts'
import { parsePeer } from './peer-set.ts'
import { type ShapedFault, toNetem, toTokenBucket } from './queue-disciplines.ts'

export interface NetworkFaultPlan {
  readonly hooks: readonly Hook[]
  readonly packets?: PacketFault
  readonly shape?: ShapedFault
}

/** Throws for peers that are none. */
export const planNetworkFault = (
  id: string,
  { effects = {}, cut, peers: given }: NetworkFault,
  hasNetem: boolean,
): NetworkFaultPlan => {
  const peers = given?.map((peer) => parsePeer(peer).text)
  // A list of peers without any is about nobody.
  if (peers?.length === 0) return { hooks: [] }
  const towards = peers === undefined ? {} : { peers }
  // Kernels of 2025 and later take no netem that doubles packets beside another one on the same device.
  const suitsNetem = hasNetem && (effects.duplicate?.percent ?? 0) <= 0
  const isQueued = touchesPackets(effects) && !suitsNetem
  const disciplines = [
    ...(touchesPackets(effects) && suitsNetem ? [toNetem(effects)] : []),
    ...(effects.bandwidth === undefined ? [] : [toTokenBucket(effects.bandwidth)]),
  ]
  return {
    hooks: [...(cut === undefined ? [] : toCut(id, cut, peers)), ...(isQueued ? toQueue(id, peers) : [])],
    ...(isQueued ? { packets: { id, ...towards, effects } } : {}),
    ...(disciplines.length > 0 ? { shape: { id, ...towards, disciplines } } : {}),
  }
}
