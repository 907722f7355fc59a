/** Draws a problem from a seed: the targets, parameters and shapes of its faults, and its report. */
import { createRandom, defined, type Random } from '#kit'
import {
  type Budget,
  type Fault,
  type FaultShape,
  type LoadProfile,
  type ParameterValues,
  type PlannedFault,
  type Problem,
  RemediumError,
  type ReportKind,
  type SystemView,
  type Task,
  taskOf,
} from '#spec'
import { drawTarget } from './draw-target.ts'
import { drawParameters, drawShape } from './draw-values.ts'
import { findParameterMistakes } from './find-parameter-mistakes.ts'
import { problemId } from './problem-id.ts'

export interface Draw {
  readonly system: SystemView
  /** Usually one fault; none for a control. Several faults get different services. */
  readonly faults: readonly Fault[]
  readonly task: Task
  readonly seed: string
  /** The index of the draw with this seed, starting at 0. All targets are used before one is repeated. */
  readonly turn?: number | undefined
  /** The service of the first fault; drawn by default. */
  readonly target?: string | undefined
  /** Values of the first fault's parameters. */
  readonly params?: ParameterValues | undefined
  /** Whether parameters are drawn from their ranges instead of the defaults. Does not apply to MicroRemed's faults. */
  readonly varies?: boolean | undefined
  readonly shape?: FaultShape['kind'] | undefined
  readonly report?: ReportKind | undefined
  readonly load?: LoadProfile | undefined
  readonly budget?: Budget | undefined
  /** For a cascade: the delay between faults in milliseconds. Each fault affects a neighbour of the previous one. */
  readonly afterMs?: number | undefined
}

const reject = (text: string): never => {
  throw new RemediumError('bad-argument', text)
}

const checkDraw = ({ faults, task, report, shape, params = {} }: Draw): void => {
  const [first] = faults
  if (report !== undefined && !taskOf(task).reports.includes(report))
    reject(`the report "${report}" reveals the answer to the task ${task}`)
  if (report === 'label' && first === undefined)
    reject('a control cannot have the report "label", because it has no fault')
  if (first === undefined) return
  for (const { text } of findParameterMistakes(first, params)) reject(text)
  for (const { name, shapes = ['sudden'] } of faults)
    if (shape !== undefined && !shapes.includes(shape))
      reject(`the fault ${name} cannot have the shape ${shape}, only ${shapes.join(', ')}`)
}

const drawFaults = (draw: Draw, random: Random, turnRandom: Random): PlannedFault[] => {
  const { system, faults, turn = 0, target: service, params, varies, shape = 'sudden', afterMs } = draw
  const planned: PlannedFault[] = []
  for (const [index, fault] of faults.entries()) {
    const taken = planned.map(({ target }) => target.service)
    const options = {
      taken,
      turn,
      service: index === 0 ? service : undefined,
      near: afterMs === undefined ? undefined : taken.at(-1),
    }
    const faultRandom = turnRandom.fork(`fault ${index}`)
    planned.push({
      fault: fault.name,
      target: drawTarget(fault, system, random.fork(`targets ${index}`), options),
      params: drawParameters(fault, faultRandom.fork('params'), {
        params: index === 0 ? params : undefined,
        varies,
      }),
      shape: drawShape(shape, faultRandom.fork('shape')),
      ...(index === 0 || afterMs === undefined ? {} : { afterMs: index * afterMs }),
    })
  }
  return planned
}

/** Throws if the draw is impossible. The same draw returns the same problem on every machine. */
export const drawProblem = (draw: Draw): Problem => {
  checkDraw(draw)
  const { system, faults, task, seed, turn = 0, load } = draw
  const random = createRandom(`${seed}/${system.name}/${faults.map(({ name }) => name).join('+')}`)
  const turnRandom = random.fork(`turn ${turn}`)
  const content = {
    system: system.name,
    task,
    faults: drawFaults(draw, random, turnRandom),
    report: draw.report ?? taskOf(task).reports[0],
    ...defined({ load }),
    budget: draw.budget ?? taskOf(task).budget,
    seed: turnRandom.fork('seed').suffix(10),
  }
  return { id: problemId(content), ...content }
}
