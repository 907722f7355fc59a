/** Scales and ticks of an axis. */

const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8]

/** Rounds up to one of the steps times a power of ten. */
export const roundUp = (value: number): number => {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = STEPS.find((candidate) => candidate * power >= value * 0.9999) ?? 10
  return step * power
}

const TICKS_MS = [
  ...[500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000],
  ...[1_200_000, 3_600_000],
]

/** Ticks from 0 to `length`, at least `minGap` (a share of the length) apart. */
export const timeTicks = (length: number, minGap: number): readonly number[] => {
  const step = TICKS_MS.find((candidate) => candidate >= length * minGap) ?? Math.max(1, length)
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step)
}

/** A linear scale from 0 to `max` onto pixels. */
export const scale =
  (max: number, from: number, to: number) =>
  (value: number): number =>
    Math.round((from + (Math.min(value, max) / (max || 1)) * (to - from)) * 10) / 10
