/** Finds mistakes in written problems: systems, faults, targets and values that do not exist or do not fit. */
import type { LocatedYaml, YamlPath } from '#kit'
import {
  type Fault,
  type FaultTarget,
  type PlannedFault,
  type Problem,
  RemediumError,
  type SystemView,
  taskOf,
} from '#spec'
import { canonicalJson } from './canonical-json.ts'
import type { Catalogue } from './create-catalogue.ts'
import { explainMisfit } from './explain-misfit.ts'
import { findParameterMistakes } from './find-parameter-mistakes.ts'
import { listImpactTargets } from './list-impact-targets.ts'

type Mistake = readonly [path: YamlPath, text: string]

/** Returns the reason if the name does not exist. */
const loadOrReason = async <T>(load: Promise<T>): Promise<T | string> => {
  try {
    return await load
  } catch (error) {
    if (error instanceof RemediumError && error.code === 'bad-argument') return error.message
    throw error
  }
}

const findTargetMistakes = (fault: Fault, view: SystemView, target: FaultTarget): string[] => {
  const targets = listImpactTargets(fault, view)
  if (targets.some((candidate) => canonicalJson(candidate) === canonicalJson(target))) return []
  const targetsOfService = targets.filter(({ service }) => service === target.service)
  const reason =
    targetsOfService.length > 0
      ? `The fault fits ${targetsOfService.map(canonicalJson).join(', ')}.`
      : explainMisfit(fault, view, target)
  return [`is not a target of the fault ${fault.name} on ${view.name}. ${reason}`]
}

const findPlannedMistakes = (
  { target, params, shape }: PlannedFault,
  path: YamlPath,
  fault: Fault,
  view: SystemView | undefined,
): Mistake[] => {
  const { name, parameters, shapes = ['sudden'] } = fault
  const missing = Object.keys(parameters).filter((parameter) => params[parameter] === undefined)
  const targetMistakes = view === undefined ? [] : findTargetMistakes(fault, view, target)
  return [
    ...targetMistakes.map((text): Mistake => [[...path, 'target'], text]),
    ...findParameterMistakes(fault, params).map(
      ({ parameter, text }): Mistake => [[...path, 'params', parameter], `is wrong: ${text}`],
    ),
    ...missing.map((parameter): Mistake => [[...path, 'params'], `must have "${parameter}"`]),
    ...(shapes.includes(shape.kind)
      ? []
      : [
          [
            [...path, 'shape'],
            `cannot be ${shape.kind} for the fault ${name}, only ${shapes.join(', ')}`,
          ] as const,
        ]),
  ]
}

/** Returns the mistakes for which a draw would be rejected, with their positions in the document. */
export const findFitMistakes = async (
  { system, task, report, faults }: Problem,
  path: YamlPath,
  document: LocatedYaml,
  catalogue: Catalogue,
): Promise<string[]> => {
  const mistakes: Mistake[] = []
  const view = await loadOrReason(catalogue.viewOf(system))
  if (typeof view === 'string') mistakes.push([[...path, 'system'], `is wrong: ${view}`])
  if (!taskOf(task).reports.includes(report))
    mistakes.push([[...path, 'report'], `reveals the answer to the task ${task}`])
  else if (report === 'label' && faults.length === 0)
    mistakes.push([[...path, 'report'], 'cannot be "label" for a control, which has no fault'])
  for (const [index, planned] of faults.entries()) {
    const faultPath = [...path, 'faults', index]
    const { service } = planned.target
    if (faults.findIndex(({ target }) => target.service === service) < index)
      mistakes.push([[...faultPath, 'target'], `repeats ${service}; each fault needs a different service`])
    const fault = await loadOrReason(catalogue.faultOf(planned.fault))
    if (typeof fault === 'string') mistakes.push([[...faultPath, 'fault'], `is wrong: ${fault}`])
    else
      mistakes.push(
        ...findPlannedMistakes(planned, faultPath, fault, typeof view === 'string' ? undefined : view),
      )
  }
  return mistakes.map(([mistakePath, text]) => document.mistakeAt(mistakePath, text))
}
