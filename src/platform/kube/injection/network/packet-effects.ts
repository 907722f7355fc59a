/** Computes the effects of a fault on a packet as netem does: copies, delays and corruption. */
import type { Random } from '#kit'
import type { PacketEffects } from '#platform/kube/ports'

/** One copy of a packet. */
export interface PacketCopy {
  /** The delay until it is sent. */
  readonly delayMs: number
  readonly corrupt: boolean
}

const STRATA = 64

/**
 * Stratified random numbers in [0, 1): each block of 64 has one number in each 64th of the range. Individual
 * numbers are unpredictable, but the share of affected packets has little variance.
 */
const createStratifiedRandom = (random: Random): (() => number) => {
  const order = Array.from({ length: STRATA }, (_, index) => index)
  let remaining = 0
  return () => {
    if (remaining === 0) remaining = STRATA
    const chosen = random.below(remaining)
    remaining -= 1
    const stratum = order[chosen]!
    order[chosen] = order[remaining]!
    order[remaining] = stratum
    return (stratum + random.next()) / STRATA
  }
}

/** Random numbers in [0, 1). Their correlation with the previous number is given in percent. */
const createCorrelatedRandom = (random: Random, correlation: number): (() => number) => {
  const share = Math.min(Math.max(correlation, 0), 100) / 100
  if (share === 0) return createStratifiedRandom(random)
  let last = random.next()
  return () => {
    last = random.next() * (1 - share) + last * share
    return last
  }
}

type Chance = { percent: number; correlation: number } | undefined

const createChance = (random: Random, chance: Chance): (() => boolean) => {
  if (chance === undefined || chance.percent <= 0) return () => false
  const draw = createCorrelatedRandom(random, chance.correlation)
  return () => draw() * 100 < chance.percent
}

const createDelay = (random: Random, { delay, reorder }: PacketEffects): (() => number) => {
  if (delay === undefined) return () => 0
  const draw = createCorrelatedRandom(random, delay.correlation)
  const overtakes = createChance(random, reorder)
  const gap = Math.max(reorder?.gap ?? 0, 1)
  let sinceOvertaking = 0
  return () => {
    if (reorder !== undefined && sinceOvertaking >= gap - 1 && overtakes()) {
      sinceOvertaking = 0
      return 0
    }
    sinceOvertaking += 1
    return Math.max(0, delay.latencyMs + (draw() * 2 - 1) * delay.jitterMs)
  }
}

/** Returns a stateful function that computes the copies of each packet; none if it is lost. */
export const createPacketEffects = (
  effects: PacketEffects,
  random: Random,
): (() => readonly PacketCopy[]) => {
  const isLost = createChance(random, effects.loss)
  const isDuplicated = createChance(random, effects.duplicate)
  const isCorrupted = createChance(random, effects.corrupt)
  const delay = createDelay(random, effects)
  return () => {
    const copies: PacketCopy[] = []
    // Loss, corruption and delay are drawn for each copy.
    for (let count = isDuplicated() ? 2 : 1; count > 0; count -= 1)
      if (!isLost()) copies.push({ corrupt: isCorrupted(), delayMs: delay() })
    return copies
  }
}

/** Whether packets are delayed, duplicated or changed, which requires all their bytes. */
export const needsWholePackets = ({ delay, duplicate, corrupt }: PacketEffects): boolean =>
  (delay !== undefined && (delay.latencyMs > 0 || delay.jitterMs > 0)) ||
  (duplicate !== undefined && duplicate.percent > 0) ||
  (corrupt !== undefined && corrupt.percent > 0)

/** Whether the effects apply to individual packets; a bandwidth limit does not. */
export const touchesPackets = (effects: PacketEffects): boolean =>
  needsWholePackets(effects) || (effects.loss !== undefined && effects.loss.percent > 0)
