/** Cheap answers: what somebody would say who has not looked at the system at all. */
import type { Answers, Fault, FaultCase, Problem, SystemView } from '../../spec/index.ts'

export interface AnswerHack {
  readonly name: string
  readonly answers: Answers
}

const commonest = <T extends string>(words: readonly T[]): T => {
  const counts = new Map<T, number>()
  for (const word of [...words].sort()) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0]
}

/** Those that any culprit is named by; there are none where nothing is wrong. */
const culpritsOf = (
  problem: Problem,
  system: SystemView,
  faults: ReadonlyMap<string, Fault>,
): ReadonlySet<string> =>
  new Set(
    problem.faults.flatMap(({ fault: name, target, params }) => {
      const about: FaultCase = { system, target, params }
      return faults.get(name)?.culprits?.(about) ?? [target.service]
    }),
  )

/** The service that users reach first: the one that others call least and that calls most. */
const entryOf = ({ workloads, edges, callersOf }: SystemView): string =>
  workloads
    .map(({ service }) => service)
    .filter((service) => callersOf(service).length === 0)
    .sort(
      (one, other) =>
        edges.filter(({ from }) => from === other).length - edges.filter(({ from }) => from === one).length,
    )[0] ?? workloads[0]!.service

const localisations = (system: SystemView, culprits: ReadonlySet<string>): AnswerHack[] => {
  const every = system.workloads.map(({ service }) => service).sort()
  return [
    { name: 'name-every-service', answers: { services: every } },
    { name: 'name-entry-service', answers: { services: [entryOf(system)] } },
  ].filter(({ answers: { services } }) => !culprits.has(services[0]!))
}

/**
 * Only those that are wrong for this problem: an answer that fits by chance says nothing of the problem. `always-no`
 * must fail where something is wrong and `always-yes` on its control, so that neither wins both.
 */
export const answerHacks = (
  problem: Problem,
  system: SystemView,
  faults: ReadonlyMap<string, Fault>,
): AnswerHack[] => {
  if (problem.task === 'detection')
    return problem.faults.length === 0
      ? [{ name: 'always-yes', answers: { detected: true } }]
      : [{ name: 'always-no', answers: { detected: false } }]
  if (problem.task === 'localisation') return localisations(system, culpritsOf(problem, system, faults))
  if (problem.task !== 'analysis') return []
  const all = [...faults.values()]
  const layer = commonest(all.map((fault) => fault.layer))
  const type = commonest(all.map((fault) => fault.type))
  const isTrue = problem.faults.some(({ fault: name }) => {
    const fault = faults.get(name)
    const layers = [fault?.layer, ...(fault?.otherLayers ?? [])]
    const types = [fault?.type, ...(fault?.otherTypes ?? [])]
    return layers.includes(layer) && types.includes(type)
  })
  return isTrue ? [] : [{ name: 'commonest-layer-and-type', answers: { layer, type } }]
}
