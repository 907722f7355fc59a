/** Computes the treatment of packets on a route: cuts, unreachable nodes, policies, effects and bandwidth limits. */
import { addressNumber, type PeerRange } from '#platform/kube/simulated'
import type { Endpoint } from '../model/endpoint.ts'
import type { NetworkState } from '../model/network-state.ts'
import { BLOCKED, CLEAR, type Path, type Route } from './route.ts'

const includesPeer = (peers: readonly PeerRange[] | undefined, address: string): boolean =>
  peers === undefined || (peers.length > 0 && peers.some((peer) => peer.contains(addressNumber(address))))

/** Whether a cut at this address drops the packets to or from the peer. */
export const isCut = ({ cuts }: Endpoint, direction: 'outgoing' | 'incoming', peer: string): boolean =>
  cuts.some(
    (cut) => (cut.direction === 'both' || cut.direction === direction) && includesPeer(cut.peers, peer),
  )

const isOnNetwork = ({ kind }: Endpoint): boolean => kind === 'pod' || kind === 'node' || kind === 'outside'

/** An unreachable node and its pods reach only each other. */
const areSeparated = ({ unreachableNodes }: NetworkState, from: Endpoint, to: Endpoint): boolean =>
  unreachableNodes.size > 0 &&
  from.node !== to.node &&
  ((from.node !== undefined && unreachableNodes.has(from.node)) ||
    (to.node !== undefined && unreachableNodes.has(to.node)))

const isBlocked = (network: NetworkState, route: Route): boolean => {
  const { from, to, destination, source } = route
  if (!from.isAttached || to.kind === 'silent') return true
  if (isCut(from, 'outgoing', destination) || isCut(to, 'incoming', source)) return true
  // Refusals and missing routes are answered before packets are filtered.
  if (!isOnNetwork(from) || !isOnNetwork(to)) return false
  return areSeparated(network, from, to) || (to.isAttached && !network.policies.allows(route.flow))
}

const computePath = (network: NetworkState, route: Route): Path => {
  const { from, to, destination, isLocal } = route
  if (isLocal) return from.isAttached ? CLEAR : BLOCKED
  if (isBlocked(network, route)) return BLOCKED
  const active = from.effects.filter(({ peers }) => includesPeer(peers, destination))
  const buckets = [...active.flatMap((each) => each.buckets), ...from.egress, ...to.ingress]
  const verdict = to.isAttached ? 'open' : 'gone'
  if (active.length === 0 && buckets.length === 0 && verdict === 'open') return CLEAR
  const effects = active.map(({ state }) => state)
  return {
    verdict,
    effects,
    buckets,
    isClear: false,
    // The kernel segments a burst to delay, duplicate or corrupt packets, and in token buckets, but not to drop them.
    isSegmented:
      buckets.length > 0 || effects.some(({ delay, duplicate, corrupt }) => delay ?? duplicate ?? corrupt),
    meanDelayMs: effects.reduce((sum, each) => sum + (each.effects.delay?.latencyMs ?? 0), 0),
  }
}

/** Returns the path of the route at this moment. */
export const pathOf = (network: NetworkState, route: Route): Path => {
  if (route.epoch !== network.epoch) {
    route.path = computePath(network, route)
    route.epoch = network.epoch
  }
  return route.path
}
