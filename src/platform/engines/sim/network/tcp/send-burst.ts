/** Sends one burst of segments over a path, and returns the number and the delay of those that arrive. */
import { HEADER_BYTES, SEGMENT_BYTES } from '../constants.ts'
import type { NetworkState } from '../model/network-state.ts'
import { passPacket } from '../paths/pass-packet.ts'
import { pathOf } from '../paths/path-of.ts'
import { countSegments, wireBytes } from './flight.ts'
import type { Sender } from './sender.ts'

interface BurstResult {
  readonly segments: number
  readonly arrived: number
  /** The delay of the slowest segment that arrived. */
  readonly delayMs: number
}

/** Sends a part of the stream. */
export const sendBurst = (network: NetworkState, sender: Sender, bytes: number): BurstResult => {
  const { clock, random } = network
  const path = pathOf(network, sender.route)
  const now = clock.now()
  const segments = countSegments(bytes)
  if (!path.isSegmented) {
    const delayMs = passPacket(random, path, wireBytes(bytes), now)
    return { segments, arrived: delayMs === undefined ? 0 : segments, delayMs: delayMs ?? 0 }
  }
  let [arrived, slowestMs] = [0, 0]
  for (let segment = 0; segment < segments; segment += 1) {
    const delayMs = passPacket(random, path, wireBytes(Math.min(bytes, SEGMENT_BYTES)), now)
    if (delayMs === undefined) continue
    arrived += 1
    if (delayMs > slowestMs) slowestMs = delayMs
  }
  // The acknowledgement takes its share of a limited bandwidth.
  if (arrived > 0) passPacket(random, pathOf(network, sender.back), HEADER_BYTES, now + slowestMs)
  return { segments, arrived, delayMs: slowestMs }
}
