/** What a problem says of time: how many milliseconds each of its faults takes to come, and to come and go or heal. */
import type { FaultShape, Problem } from '../spec/index.ts'

const growthOf = (shape: FaultShape): number =>
  shape.kind === 'gradual'
    ? shape.overMs
    : shape.kind === 'transient'
      ? shape.forMs
      : shape.kind === 'intermittent'
        ? shape.onMs + shape.offMs
        : 0

export const spansOf = ({ faults }: Problem): number[] =>
  faults.map(({ shape, afterMs = 0 }) => afterMs + growthOf(shape))

/** What the laboratory may have to wait for them, since it puts one in after another. */
export const longestWaitOf = (problem: Problem): number =>
  spansOf(problem).reduce((sum, span) => sum + span, 0)
