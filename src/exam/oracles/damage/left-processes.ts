/** Finds processes that the solver left running in pods. They are damage if they never end. */
import { type ApiObject, type ContainerProcesses, type Damage, taskOf, viewAs } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { serviceOfPod } from './may-replace-pod.ts'
import type { Permissions } from './permissions.ts'

/** The first version of the rules that compares all containers of a service, whose pods a repair may replace. */
const RULES_WITH_SERVICES = 3
/** The programs that faults start in pods. */
const FAULT_PROGRAMS: readonly string[] = ['stress-ng', 'memStress']

type Observation = ContainerProcesses & { readonly at: number }

/** Faults start processes in pods of their targets, and in pods on nodes that may be drained. */
const mayContainFaultPrograms = (
  view: EpisodeFacts,
  permissions: Permissions,
): ((pod: ApiObject) => boolean) => {
  const targets = new Set((view.problem?.faults ?? []).map(({ target }) => target.service))
  return (pod) =>
    targets.has(serviceOfPod(pod) ?? '') || permissions.mayDrain(viewAs('Pod', pod).spec?.nodeName)
}

/** The programs of `now` without those of `before`, as multisets. */
const programsWithout = (now: readonly string[], before: readonly string[]): string[] => {
  const remaining = [...before]
  return now.filter((name) => {
    const index = remaining.indexOf(name)
    if (index >= 0) remaining.splice(index, 1)
    return index < 0
  })
}

/** The service of each pod by its labels when it was first seen: the solver may change them later. */
const servicesOfPods = ({ objects, changes }: EpisodeFacts): ReadonlyMap<string, string> => {
  const pods = [
    ...objects.baseline.values(),
    ...objects.injected.values(),
    ...changes.map(({ object }) => object),
  ]
  const found = new Map<string, string>()
  for (const pod of pods) {
    const service = pod.kind === 'Pod' ? serviceOfPod(pod) : undefined
    if (service !== undefined && !found.has(pod.metadata.name)) found.set(pod.metadata.name, service)
  }
  return found
}

/**
 * Returns the group of containers with which a container is compared: those of the same name in pods of its service.
 * In older rules, a container is compared only with itself.
 */
const createGrouping = (view: EpisodeFacts): ((container: ContainerProcesses) => string | undefined) => {
  if (view.rules < RULES_WITH_SERVICES) return ({ id }) => id
  const services = servicesOfPods(view)
  return ({ pod, name }) => (services.has(pod) ? `${services.get(pod)}/${name}` : undefined)
}

/** The observation with the most processes before the solver, by group. */
const findMostProcesses = (
  observations: readonly Observation[],
  groupOf: ReturnType<typeof createGrouping>,
  solverStartedAt: number,
): ReadonlyMap<string | undefined, Observation> => {
  const most = new Map<string | undefined, Observation>()
  for (const observation of observations) {
    const group = groupOf(observation)
    const known = most.get(group)
    if (observation.at > solverStartedAt || group === undefined) continue
    if (known === undefined || observation.processes.length > known.processes.length)
      most.set(group, observation)
  }
  return most
}

/** Compares containers with those that ran before the solver. */
export const leftProcesses = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const { solverStartedAt, solverEnded, problem, objects, rules } = view
  if (solverStartedAt === undefined || solverEnded === undefined || problem === undefined) return []
  // In other tasks the solver has no access to pods.
  if (!taskOf(problem.task).repairs) return []
  const mayHaveFaultPrograms = mayContainFaultPrograms(view, permissions)
  const faultyPods = new Set(
    [...objects.now.values()]
      .filter((object) => object.kind === 'Pod' && mayHaveFaultPrograms(object))
      .map(({ metadata }) => metadata.name),
  )
  const isExempt = (pod: string, program: string): boolean =>
    faultyPods.has(pod) && (rules < RULES_WITH_SERVICES || FAULT_PROGRAMS.includes(program))
  const groupOf = createGrouping(view)
  const before = findMostProcesses([...view.processes.values()].flat(), groupOf, solverStartedAt)
  return [...view.processes.values()].flatMap((observations) => {
    const last = observations.at(-1)!
    const known = before.get(groupOf(last))?.processes.map(([name]) => name)
    if (last.at < solverEnded.at || known === undefined) return []
    const names = last.processes.map(([name]) => name).filter((name) => !isExempt(last.pod, name))
    if (names.length <= known.length) return []
    const what = `was left with a running process: ${programsWithout(names, known).join(', ')}`
    return [{ object: `Pod/${last.pod}`, what }]
  })
}
