/** Figures beside their goals, and beside the machine's own speed: these machines are noisy. */
import { createHash } from 'node:crypto'

export interface Goal {
  what: string
  measured: number
  /** Such as `ms`, `MB`, `/s`. */
  unit: string
  atMost?: number
  atLeast?: number
}

/** A fixed piece of work (hashing 64 MiB): milliseconds of it say how fast this machine is just now. */
export const referenceLoop = (): number => {
  const block = Buffer.alloc(1 << 20, 7)
  const started = performance.now()
  const hash = createHash('sha256')
  for (let round = 0; round < 64; round += 1) hash.update(block)
  hash.digest()
  return performance.now() - started
}

const isMet = ({ measured, atMost, atLeast }: Goal): boolean =>
  (atMost === undefined || measured <= atMost) && (atLeast === undefined || measured >= atLeast)

const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1))

/** Prints the table and gives the exit code: 1 where a goal is missed. */
export const printGoals = (goals: readonly Goal[]): number => {
  const loops = [referenceLoop(), referenceLoop(), referenceLoop()].sort((a, b) => a - b)
  console.log(`reference loop (sha256 of 64 MiB): ${shown(loops[1]!)} ms`)
  for (const goal of goals) {
    const wanted = goal.atMost === undefined ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`
    const figure = `${shown(goal.measured)} ${goal.unit}`
    console.log(
      `${isMet(goal) ? 'met   ' : 'MISSED'}  ${goal.what.padEnd(58)} ${figure.padStart(12)}   (${wanted} ${goal.unit})`,
    )
  }
  return goals.every(isMet) ? 0 : 1
}

/** The higher of two: one that was measured. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
