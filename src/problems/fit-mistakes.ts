/** What keeps a problem that somebody wrote down from being one of the systems and faults there are. */
import type { LocatedYaml, YamlPath } from '../kit/index.ts'
import {
  type Fault,
  type FaultTarget,
  type PlannedFault,
  type Problem,
  RemediumError,
  type SystemView,
} from '../spec/index.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Catalogue } from './catalogue.ts'
import { feltTargets } from './draw-targets.ts'
import { parameterMistakes } from './parameter-mistakes.ts'
import { REPORTS } from './task-defaults.ts'

/** Where, and what. */
type Mistake = readonly [path: YamlPath, text: string]

/** Or why there is none of this name. */
const named = async <T>(load: Promise<T>): Promise<T | string> => {
  try {
    return await load
  } catch (error) {
    if (error instanceof RemediumError && error.code === 'bad-argument') return error.message
    throw error
  }
}

const targetMistakes = (fault: Fault, view: SystemView, target: FaultTarget): string[] => {
  const felt = feltTargets(fault, view)
  if (felt.some((one) => canonicalJson(one) === canonicalJson(target))) return []
  const ofService = felt.filter(({ service }) => service === target.service)
  const known =
    ofService.length > 0 ? ofService.map(canonicalJson) : [...new Set(felt.map(({ service }) => service))]
  const fitting = known.length === 0 ? `no service of ${view.name}` : known.join(', ')
  return [`is none of the fault ${fault.name} on ${view.name}: it fits ${fitting}`]
}

const plannedMistakes = (
  { target, params, shape }: PlannedFault,
  path: YamlPath,
  fault: Fault,
  view: SystemView | undefined,
): Mistake[] => {
  const { name, parameters, shapes = ['sudden'] } = fault
  const missing = Object.keys(parameters).filter((parameter) => params[parameter] === undefined)
  const places = view === undefined ? [] : targetMistakes(fault, view, target)
  return [
    ...places.map((text): Mistake => [[...path, 'target'], text]),
    ...parameterMistakes(fault, params).map(
      ({ parameter, text }): Mistake => [[...path, 'params', parameter], `is wrong: ${text}`],
    ),
    ...missing.map((parameter): Mistake => [[...path, 'params'], `must have "${parameter}"`]),
    ...(shapes.includes(shape.kind)
      ? []
      : [
          [
            [...path, 'shape'],
            `cannot be ${shape.kind} of the fault ${name}, only ${shapes.join(', ')}`,
          ] as const,
        ]),
  ]
}

/** Each with its place in the document; the same that would keep it from being drawn. */
export const fitMistakes = async (
  { system, task, report, faults }: Problem,
  path: YamlPath,
  document: LocatedYaml,
  catalogue: Catalogue,
): Promise<string[]> => {
  const mistakes: Mistake[] = []
  const view = await named(catalogue.viewOf(system))
  if (typeof view === 'string') mistakes.push([[...path, 'system'], `is wrong: ${view}`])
  if (!REPORTS[task].includes(report))
    mistakes.push([[...path, 'report'], `gives away what ${task} asks for`])
  else if (report === 'label' && faults.length === 0)
    mistakes.push([[...path, 'report'], 'cannot be a label, since a control has nothing that it could name'])
  for (const [index, planned] of faults.entries()) {
    const place = [...path, 'faults', index]
    const { service } = planned.target
    if (faults.findIndex(({ target }) => target.service === service) < index)
      mistakes.push([[...place, 'target'], `is ${service} again: several faults hit different services`])
    const fault = await named(catalogue.faultOf(planned.fault))
    if (typeof fault === 'string') mistakes.push([[...place, 'fault'], `is wrong: ${fault}`])
    else mistakes.push(...plannedMistakes(planned, place, fault, typeof view === 'string' ? undefined : view))
  }
  return mistakes.map(([place, text]) => document.mistakeAt(place, text))
}
