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

/** The state of a sequence of random numbers in [0, 1). */
interface Sequence {
  /** The correlation with the previous number: 0 to 1. */
  readonly correlation: number
  last: number
  /** The 64ths of the range; the first `remaining` of them have no number in the current block yet. */
  readonly strata: number[]
  remaining: number
}

const createSequence = (random: Random, percent: number): Sequence => {
  const correlation = Math.min(Math.max(percent, 0), 100) / 100
  return {
    correlation,
    last: correlation === 0 ? 0 : random.next(),
    strata: correlation === 0 ? Array.from({ length: STRATA }, (_, index) => index) : [],
    remaining: 0,
  }
}

/**
 * Without correlation, the numbers are stratified: each block of 64 has one number in each 64th of the range. Individual
 * numbers are unpredictable, but the share of affected packets has little variance.
 */
const drawFrom = (sequence: Sequence, random: Random): number => {
  const { correlation, strata } = sequence
  if (correlation > 0) {
    sequence.last = random.next() * (1 - correlation) + sequence.last * correlation
    return sequence.last
  }
  if (sequence.remaining === 0) sequence.remaining = STRATA
  const chosen = random.below(sequence.remaining)
  sequence.remaining -= 1
  const stratum = strata[chosen]!
  strata[chosen] = strata[sequence.remaining]!
  strata[sequence.remaining] = stratum
  return (stratum + random.next()) / STRATA
}

interface Chance {
  readonly percent: number
  readonly sequence: Sequence
}

const createChance = (
  random: Random,
  chance: { percent: number; correlation: number } | undefined,
): Chance | undefined =>
  chance === undefined || chance.percent <= 0
    ? undefined
    : { percent: chance.percent, sequence: createSequence(random, chance.correlation) }

const occurs = (chance: Chance | undefined, random: Random): boolean =>
  chance !== undefined && drawFrom(chance.sequence, random) * 100 < chance.percent

/** The effects with the state of their random numbers: plain data, changed by each packet. */
export interface PacketEffectsState {
  readonly effects: PacketEffects
  readonly loss: Chance | undefined
  readonly duplicate: Chance | undefined
  readonly corrupt: Chance | undefined
  readonly delay: Sequence | undefined
  readonly reorder: Chance | undefined
  /** The number of delayed packets since one was sent ahead. */
  sinceOvertaking: number
}

export const createEffectsState = (effects: PacketEffects, random: Random): PacketEffectsState => ({
  effects,
  loss: createChance(random, effects.loss),
  duplicate: createChance(random, effects.duplicate),
  corrupt: createChance(random, effects.corrupt),
  delay: effects.delay === undefined ? undefined : createSequence(random, effects.delay.correlation),
  reorder: effects.delay === undefined ? undefined : createChance(random, effects.reorder),
  sinceOvertaking: 0,
})

const nextDelay = (state: PacketEffectsState, random: Random): number => {
  const { delay, reorder } = state.effects
  if (delay === undefined) return 0
  const gap = Math.max(reorder?.gap ?? 0, 1)
  if (reorder !== undefined && state.sinceOvertaking >= gap - 1 && occurs(state.reorder, random)) {
    state.sinceOvertaking = 0
    return 0
  }
  state.sinceOvertaking += 1
  return Math.max(0, delay.latencyMs + (drawFrom(state.delay!, random) * 2 - 1) * delay.jitterMs)
}

/** Returns the copies of the next packet; none if it is lost. */
export const nextCopies = (state: PacketEffectsState, random: Random): readonly PacketCopy[] => {
  const copies: PacketCopy[] = []
  // Loss and corruption apply to each copy.
  for (let count = occurs(state.duplicate, random) ? 2 : 1; count > 0; count -= 1)
    if (!occurs(state.loss, random))
      copies.push({ corrupt: occurs(state.corrupt, random), delayMs: nextDelay(state, random) })
  return copies
}

/** Whether packets are delayed, duplicated or changed, which requires all their bytes. */
export const needsWholePackets = ({ delay, duplicate, corrupt }: PacketEffects): boolean =>
  (delay !== undefined && (delay.latencyMs > 0 || delay.jitterMs > 0)) ||
  (duplicate !== undefined && duplicate.percent > 0) ||
  (corrupt !== undefined && corrupt.percent > 0)

/** Whether the effects apply to individual packets; a bandwidth limit does not. */
export const touchesPackets = (effects: PacketEffects): boolean =>
  needsWholePackets(effects) || (effects.loss !== undefined && effects.loss.percent > 0)
