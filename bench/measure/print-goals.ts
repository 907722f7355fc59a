/** Prints measurements with their goals, and the speed of the machine, which varies. */
import { createHash } from 'node:crypto'

export interface Goal {
  readonly what: string
  readonly measured: number
  /** Such as `ms`, `MiB`, `/s`; empty for a count. */
  readonly unit: string
  readonly atMost?: number
  readonly atLeast?: number
  /** A goal of correctness, not of performance: enforced even with `--quick`. */
  readonly isCorrectness?: true
  /** The row and the column of the measurement, in a table with one row per subject. */
  readonly cell?: { readonly subject: string; readonly column: string }
}

/** Hashes 64 MiB, and returns the milliseconds it took, which show how fast the machine is at the moment. */
const timeReferenceLoop = (): number => {
  const block = Buffer.alloc(1 << 20, 7)
  const started = performance.now()
  const hash = createHash('sha256')
  for (let round = 0; round < 64; round += 1) hash.update(block)
  hash.digest()
  return performance.now() - started
}

const isMet = ({ measured, atMost, atLeast }: Goal): boolean =>
  (atMost === undefined || measured <= atMost) && (atLeast === undefined || measured >= atLeast)

const toText = (value: number): string => {
  if (value >= 100 || value === 0) return value.toFixed(0)
  return value.toFixed(value >= 1 ? 1 : 2)
}

const toGoalText = ({ atMost, atLeast, unit }: Goal): string => {
  if (atMost === undefined && atLeast === undefined) return ''
  return `(${atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`} ${unit})`
}

/** Prints the table and returns the exit code: 1 if a goal is missed. With `isQuick`, only goals of correctness count. */
export const printGoals = (goals: readonly Goal[], { isQuick }: { readonly isQuick: boolean }): number => {
  const loopTimes = [timeReferenceLoop(), timeReferenceLoop(), timeReferenceLoop()].sort((a, b) => a - b)
  console.log(`reference loop (sha256 of 64 MiB): ${toText(loopTimes[1]!)} ms`)
  const isEnforced = ({ isCorrectness }: Goal): boolean => !isQuick || isCorrectness === true
  for (const goal of goals) {
    const mark = isEnforced(goal) ? (isMet(goal) ? 'met   ' : 'MISSED') : '      '
    const figure = `${toText(goal.measured)} ${goal.unit}`
    console.log(`${mark}  ${goal.what.padEnd(58)} ${figure.padStart(12)}   ${toGoalText(goal)}`.trimEnd())
  }
  return goals.filter(isEnforced).every(isMet) ? 0 : 1
}

/** For an even number of values, returns the higher of the two middle ones, so that the result is always a measured value. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
