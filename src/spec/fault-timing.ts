/** How long the faults of a problem take, from their shapes over time. */
import type { FaultShape } from './fault.ts'
import type { Problem } from './problem.ts'

type Timed = Pick<Problem, 'faults'>

/** Milliseconds from one start of an intermittent fault to the next; 0 for other shapes. */
export const periodOf = (shape: FaultShape): number =>
  shape.kind === 'intermittent' ? shape.onMs + shape.offMs : 0

/** Milliseconds that one cycle of a schedule takes: on and off again, or until it vanishes; 0 without a schedule. */
const scheduleMs = (shape: FaultShape): number => (shape.kind === 'transient' ? shape.forMs : periodOf(shape))

const durationMs = (shape: FaultShape): number =>
  shape.kind === 'gradual' ? shape.overMs : scheduleMs(shape)

const durationsOf = ({ faults }: Timed): number[] =>
  faults.map(({ shape, afterMs = 0 }) => afterMs + durationMs(shape))

/** The longest schedule of the problem: what a verdict may have to wait for. */
export const scheduleTimeOf = ({ faults }: Timed): number =>
  Math.max(0, ...faults.map(({ shape }) => scheduleMs(shape)))

/** The time that an episode takes at least. */
export const minEpisodeTimeOf = (problem: Timed): number => Math.max(0, ...durationsOf(problem))

/** The longest time that the preparation may take because of the faults, which are injected in order. */
export const maxFaultTimeOf = (problem: Timed): number =>
  durationsOf(problem).reduce((sum, duration) => sum + duration, 0)
