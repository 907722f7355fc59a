/** Where figures lie along an axis, and which of them are written beside it. */

const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8]

/** The next round figure that is not smaller. */
export const roundUp = (value: number): number => {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = STEPS.find((one) => one * power >= value * 0.9999) ?? 10
  return step * power
}

const TICKS_MS = [
  ...[500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000],
  ...[1_200_000, 3_600_000],
]

/** Moments from 0 to `length` that stand at least `apart` of it away from each other. */
export const timeTicks = (length: number, apart: number): readonly number[] => {
  const step = TICKS_MS.find((one) => one >= length * apart) ?? Math.max(1, length)
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step)
}

/** A linear scale from 0 to `most`, onto pixels. */
export const scale =
  (most: number, from: number, to: number) =>
  (value: number): number =>
    Math.round((from + (Math.min(value, most) / (most || 1)) * (to - from)) * 10) / 10
