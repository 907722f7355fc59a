/** Draws a problem from a seed: where it hurts, how much, and what the agent is told. */
import { createRandom, type Random } from '../kit/index.ts'
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
} from '../spec/index.ts'
import { drawTarget } from './draw-targets.ts'
import { drawParameters, drawShape } from './draw-values.ts'
import { parameterMistakes } from './parameter-mistakes.ts'
import { problemId } from './problem-id.ts'
import { BUDGETS, REPORTS } from './task-defaults.ts'

export interface Draw {
  readonly system: SystemView
  /** One as a rule; none of a control; of several each hits another service. */
  readonly faults: readonly Fault[]
  readonly task: Task
  readonly seed: string
  /** Which draw of this seed it is, from 0: targets are dealt in turn, so that all come before one comes again. */
  readonly turn?: number | undefined
  /** The service that the first fault hits; drawn where absent. */
  readonly target?: string | undefined
  /** Values of the first fault's parameters. */
  readonly params?: ParameterValues | undefined
  /** Parameters are drawn from their ranges; the defaults where absent. Never those of MicroRemed's own faults. */
  readonly varies?: boolean | undefined
  readonly shape?: FaultShape['kind'] | undefined
  readonly report?: ReportKind | undefined
  readonly load?: LoadProfile | undefined
  readonly budget?: Budget | undefined
  /** A cascade: each later fault comes so many milliseconds after the first, at a neighbour of the one before. */
  readonly afterMs?: number | undefined
}

const refuse = (text: string): never => {
  throw new RemediumError('bad-argument', text)
}

const checkDraw = ({ faults, task, report, shape, params = {} }: Draw): void => {
  const [first] = faults
  if (report !== undefined && !REPORTS[task].includes(report))
    refuse(`the report "${report}" gives away what ${task} asks for`)
  if (report === 'label' && first === undefined) refuse('a control has nothing that a label could name')
  if (first === undefined) return
  for (const { text } of parameterMistakes(first, params)) refuse(text)
  for (const { name, shapes = ['sudden'] } of faults)
    if (shape !== undefined && !shapes.includes(shape))
      refuse(`the fault ${name} cannot be ${shape}, only ${shapes.join(', ')}`)
}

const drawFaults = (draw: Draw, random: Random, chance: Random): PlannedFault[] => {
  const { system, faults, turn = 0, target: service, params, varies, shape = 'sudden', afterMs } = draw
  const planned: PlannedFault[] = []
  for (const [index, fault] of faults.entries()) {
    const taken = planned.map(({ target }) => target.service)
    const wish = {
      taken,
      turn,
      service: index === 0 ? service : undefined,
      near: afterMs === undefined ? undefined : taken.at(-1),
    }
    const own = chance.fork(`fault ${index}`)
    planned.push({
      fault: fault.name,
      target: drawTarget(fault, system, random.fork(`targets ${index}`), wish),
      params: drawParameters(fault, own.fork('params'), { given: index === 0 ? params : undefined, varies }),
      shape: drawShape(shape, own.fork('shape')),
      ...(index === 0 || afterMs === undefined ? {} : { afterMs: index * afterMs }),
    })
  }
  return planned
}

/** Throws where there is no such problem, with the reason. The same draw gives the same problem, on every machine. */
export const drawProblem = (draw: Draw): Problem => {
  checkDraw(draw)
  const { system, faults, task, seed, turn = 0, load } = draw
  const random = createRandom(`${seed}/${system.name}/${faults.map(({ name }) => name).join('+')}`)
  const chance = random.fork(`turn ${turn}`)
  const content = {
    system: system.name,
    task,
    faults: drawFaults(draw, random, chance),
    report: draw.report ?? REPORTS[task][0]!,
    ...(load === undefined ? {} : { load }),
    budget: draw.budget ?? BUDGETS[task],
    seed: chance.fork('seed').suffix(10),
  }
  return { id: problemId(content), ...content }
}
