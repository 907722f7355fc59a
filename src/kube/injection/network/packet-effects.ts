/** What becomes of one packet under a fault: how many copies go on, when, and which are spoilt. As netem does it. */
import type { Random } from '../../../kit/index.ts'
import type { PacketEffects } from '../../ports/index.ts'

/** One copy of a packet on its way. */
export interface PacketCopy {
  /** Milliseconds from now until it leaves. */
  readonly delayMs: number
  readonly corrupt: boolean
}

const STRATA = 64

/**
 * Numbers in [0, 1), of which each 64 in a row lie in another 64th: every single one is as uncertain as a fair
 * die's, but half of 400 packets is half of them, and not what luck makes of it.
 */
const createEvenDice = (random: Random): (() => number) => {
  const order = Array.from({ length: STRATA }, (_, index) => index)
  let left = 0
  return () => {
    if (left === 0) left = STRATA
    const chosen = random.below(left)
    left -= 1
    const stratum = order[chosen]!
    order[chosen] = order[left]!
    order[left] = stratum
    return (stratum + random.next()) / STRATA
  }
}

/** Numbers in [0, 1) of which each resembles the one before, by a share of 0 to 100. */
const createDice = (random: Random, correlation: number): (() => number) => {
  const share = Math.min(Math.max(correlation, 0), 100) / 100
  if (share === 0) return createEvenDice(random)
  let last = random.next()
  return () => {
    last = random.next() * (1 - share) + last * share
    return last
  }
}

type Chance = { percent: number; correlation: number } | undefined

const createChance = (random: Random, chance: Chance): (() => boolean) => {
  if (chance === undefined || chance.percent <= 0) return () => false
  const dice = createDice(random, chance.correlation)
  return () => dice() * 100 < chance.percent
}

const createDelay = (random: Random, { delay, reorder }: PacketEffects): (() => number) => {
  if (delay === undefined) return () => 0
  const dice = createDice(random, delay.correlation)
  const overtakes = createChance(random, reorder)
  const gap = Math.max(reorder?.gap ?? 0, 1)
  let since = 0
  return () => {
    if (reorder !== undefined && since >= gap - 1 && overtakes()) {
      since = 0
      return 0
    }
    since += 1
    return Math.max(0, delay.latencyMs + (dice() * 2 - 1) * delay.jitterMs)
  }
}

/** The copies that go on of each packet; none when it is lost. It remembers, because what comes is correlated. */
export const createPacketEffects = (
  effects: PacketEffects,
  random: Random,
): (() => readonly PacketCopy[]) => {
  const isLost = createChance(random, effects.loss)
  const isDoubled = createChance(random, effects.duplicate)
  const isSpoilt = createChance(random, effects.corrupt)
  const delay = createDelay(random, effects)
  return () => {
    const copies: PacketCopy[] = []
    // The second copy is exposed to the same dangers as the first.
    for (let count = isDoubled() ? 2 : 1; count > 0; count -= 1)
      if (!isLost()) copies.push({ corrupt: isSpoilt(), delayMs: delay() })
    return copies
  }
}

/** Whether packets must be held, copied or changed, for which a program needs all their bytes. */
export const needsWholePackets = ({ delay, duplicate, corrupt }: PacketEffects): boolean =>
  (delay !== undefined && (delay.latencyMs > 0 || delay.jitterMs > 0)) ||
  (duplicate !== undefined && duplicate.percent > 0) ||
  (corrupt !== undefined && corrupt.percent > 0)

/** Whether anything happens to single packets at all. */
export const touchesPackets = (effects: PacketEffects): boolean =>
  needsWholePackets(effects) || (effects.loss !== undefined && effects.loss.percent > 0)
