/** Passes one packet over a path: through the effects of faults, then through token buckets. */
import type { Random } from '#kit'
import { nextCopies, type PacketEffectsState } from '#platform/kube/simulated'
import type { Path } from './route.ts'
import { admitPacket } from './token-bucket.ts'

/** Returns the delay of the first intact copy; undefined if there is none. Receivers discard corrupt packets. */
const applyEffects = (state: PacketEffectsState, random: Random): number | undefined => {
  let delayMs: number | undefined
  for (const copy of nextCopies(state, random))
    if (!copy.corrupt && (delayMs === undefined || copy.delayMs < delayMs)) delayMs = copy.delayMs
  return delayMs
}

/** Returns the milliseconds by which the packet is delayed; undefined if it is lost. */
export const passPacket = (random: Random, path: Path, bytes: number, now: number): number | undefined => {
  if (path.isClear) return 0
  if (path.verdict === 'blocked') return undefined
  let at = now
  for (const effects of path.effects) {
    const delayMs = applyEffects(effects, random)
    if (delayMs === undefined) return undefined
    at += delayMs
  }
  for (const bucket of path.buckets) {
    const leavesAt = admitPacket(bucket, at, bytes)
    if (leavesAt === undefined) return undefined
    at = leavesAt
  }
  return at - now
}
