/** Applies faults to addresses. Several can be active at the same time, and each is reverted independently. */
import {
  type BandwidthBucket,
  createEffectsState,
  MIN_BUCKET_BYTES,
  type NetworkFault,
  type PacketEffects,
  parsePeer,
} from '#platform/kube/simulated'
import { createTokenBucket, type TokenBucket } from '../paths/token-bucket.ts'
import type { Endpoint } from './endpoint.ts'
import type { NetworkState } from './network-state.ts'

/** The kernel raises sizes that are too small for a packet. */
const bucketsOf = ({ bandwidth }: PacketEffects, now: number): readonly TokenBucket[] => {
  if (bandwidth === undefined) return []
  const { rate, limit, buffer, peakrate, minburst = 0 } = bandwidth
  const size = Math.max(buffer, MIN_BUCKET_BYTES)
  const buckets: BandwidthBucket[] = [{ rate, buffer: size, limit: Math.max(limit, size) }]
  if (peakrate !== undefined && peakrate > rate)
    buckets.push({ rate: peakrate, buffer: Math.max(minburst, MIN_BUCKET_BYTES), limit: Number.MAX_VALUE })
  return buckets.map((bucket) => createTokenBucket(bucket, now))
}

/** Whether the effects change single packets. */
const hasEffect = ({ delay, loss, duplicate, corrupt }: PacketEffects): boolean =>
  delay !== undefined || [loss, duplicate, corrupt].some((chance) => (chance?.percent ?? 0) > 0)

/** Throws if a peer is invalid. */
export const addEffects = (
  network: NetworkState,
  endpoint: Endpoint,
  effects: PacketEffects,
  peers?: readonly string[],
): (() => void) => {
  const active = {
    state: createEffectsState(hasEffect(effects) ? effects : {}, network.random),
    buckets: bucketsOf(effects, network.clock.now()),
    peers: peers?.map(parsePeer),
  }
  endpoint.effects = [...endpoint.effects, active]
  network.epoch += 1
  return () => {
    if (!endpoint.effects.includes(active)) return
    endpoint.effects = endpoint.effects.filter((each) => each !== active)
    network.epoch += 1
    // Packets that the fault holds back are sent at once.
    for (const packets of endpoint.held) packets.release()
  }
}

/** Throws if a peer is invalid. */
export const addCut = (
  network: NetworkState,
  endpoint: Endpoint,
  direction: NonNullable<NetworkFault['cut']>,
  peers?: readonly string[],
): (() => void) => {
  const active = { direction, peers: peers?.map(parsePeer) }
  endpoint.cuts = [...endpoint.cuts, active]
  network.epoch += 1
  return () => {
    endpoint.cuts = endpoint.cuts.filter((each) => each !== active)
    network.epoch += 1
  }
}
