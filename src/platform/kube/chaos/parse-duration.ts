/** Parses Go durations: `30s`, `1m30s`, `-1.5h`. */

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const NUMBER = String.raw`(?:\d+\.?\d*|\.\d+)`
const UNIT = 'ns|us|µs|μs|ms|s|m|h'
const WHOLE = new RegExp(`^[+-]?(?:0|(?:${NUMBER}(?:${UNIT}))+)$`)
const PART = new RegExp(`(${NUMBER})(${UNIT})`, 'g')

/** Go stores durations as nanoseconds in 63 bits. */
const MAX_MS = 2 ** 63 / 1e6

/** Returns milliseconds, or undefined if the duration is invalid in Go. */
export const parseDuration = (text: string): number | undefined => {
  if (!WHOLE.test(text)) return undefined
  const sum = [...text.matchAll(PART)].reduce(
    (total, [, amount, unit]) => total + Number(amount) * UNITS_MS[unit!]!,
    0,
  )
  if (sum >= MAX_MS) return undefined
  return text.startsWith('-') ? -sum : sum
}
