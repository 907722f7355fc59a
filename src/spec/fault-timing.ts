/**
 * Computes how long the faults of a problem take, from their shapes over time. All times are in milliseconds.
 */
import type { FaultShape } from './fault.ts'
import type { Problem } from './problem.ts'

type ProblemFaults = Pick<Problem, 'faults'>

/** Milliseconds from one start of an intermittent fault to the next; 0 for other shapes. */
export const periodOf = (shape: FaultShape): number =>
  shape.kind === 'intermittent' ? shape.onMs + shape.offMs : 0

/**
 * Length of one cycle of a schedule: until the fault is injected again, or until it vanishes; 0 without a
 * schedule.
 */
const scheduleMs = (shape: FaultShape): number => (shape.kind === 'transient' ? shape.forMs : periodOf(shape))

const durationMs = (shape: FaultShape): number =>
  shape.kind === 'gradual' ? shape.overMs : scheduleMs(shape)

const durationsOf = ({ faults }: ProblemFaults): number[] =>
  faults.map(({ shape, afterMs = 0 }) => afterMs + durationMs(shape))

/** The longest schedule of the problem, by which the time limit of a verdict is extended. */
export const scheduleTimeOf = ({ faults }: ProblemFaults): number =>
  Math.max(0, ...faults.map(({ shape }) => scheduleMs(shape)))

/** The minimum duration of an episode. */
export const minEpisodeTimeOf = (problem: ProblemFaults): number => Math.max(0, ...durationsOf(problem))

/** The maximum time that the faults add to the preparation: they are injected one after the other. */
export const maxFaultTimeOf = (problem: ProblemFaults): number =>
  durationsOf(problem).reduce((sum, duration) => sum + duration, 0)
