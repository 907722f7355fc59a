/** Finds processes that the solver left running in pods. They are damage if they never end. */
import {
  type ApiObject,
  type ContainerProcesses,
  type Damage,
  type StrayProcess,
  taskOf,
  viewAs,
} from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { serviceOfPod } from './may-replace-pod.ts'
import type { Permissions } from './permissions.ts'

/** The first version of the rules that compares all containers of a service, whose pods a repair may replace. */
const RULES_WITH_SERVICES = 3
/**
 * The first version of the rules that recognises processes by their id. From then on, records leave out the processes that the engine
 * started for a fault, so that no name is exempt.
 */
const RULES_WITH_IDENTITIES = 6
/** In older rules: the programs that faults start in pods. */
const FAULT_PROGRAMS: readonly string[] = ['stress-ng', 'memStress']

/** The start of a process is read several times, from clocks of different precision. */
const START_TOLERANCE_MS = 1000

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

/** Older rules exempt some programs by name, and even older ones all programs, in pods in which a fault may have started them. */
const createExemption = (
  view: EpisodeFacts,
  permissions: Permissions,
): ((pod: string, program: string) => boolean) => {
  const { rules, objects } = view
  if (rules >= RULES_WITH_IDENTITIES) return () => false
  const mayHaveFaultPrograms = mayContainFaultPrograms(view, permissions)
  const faultyPods = new Set(
    [...objects.now.values()]
      .filter((object) => object.kind === 'Pod' && mayHaveFaultPrograms(object))
      .map(({ metadata }) => metadata.name),
  )
  return (pod, program) =>
    faultyPods.has(pod) && (rules < RULES_WITH_SERVICES || FAULT_PROGRAMS.includes(program))
}

const isSameProcess = ([, startedAt, id]: StrayProcess, [, otherStart, otherId]: StrayProcess): boolean =>
  id === otherId && Math.abs(startedAt - otherStart) <= START_TOLERANCE_MS

/**
 * The programs of processes that a client started in the container, by exec or in a session of their own. In a container that was
 * observed before the solver, these are all that were not there; in a newer one, all if they are more than in earlier containers of its
 * group. Processes in the session of the main one are children of the program, which may replace them.
 */
const startedStrays = (
  observations: readonly Observation[],
  listEarlierOfGroup: () => readonly Observation[],
  solverStartedAt: number,
): string[] => {
  const { strays = [] } = observations.at(-1)!
  if (strays.length === 0) return []
  const earlier = observations.filter(({ at }) => at <= solverStartedAt)
  const known = earlier.flatMap((observation) => observation.strays ?? [])
  const started =
    earlier.length === 0
      ? strays.slice(Math.max(...listEarlierOfGroup().map((other) => other.strays?.length ?? 0)))
      : strays.filter((process) => !known.some((other) => isSameProcess(other, process)))
  return started.map(([name]) => name)
}

/** Compares containers with those that ran before the solver. */
export const leftProcesses = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const { solverStartedAt, solverEnded, problem, rules } = view
  if (solverStartedAt === undefined || solverEnded === undefined || problem === undefined) return []
  // In other tasks the solver has no access to pods.
  if (!taskOf(problem.task).repairs) return []
  const isExempt = createExemption(view, permissions)
  const groupOf = createGrouping(view)
  const all = [...view.processes.values()].flat()
  const before = findMostProcesses(all, groupOf, solverStartedAt)
  return [...view.processes.values()].flatMap((observations) => {
    const last = observations.at(-1)!
    const group = groupOf(last)
    const known = before.get(group)?.processes.map(([name]) => name)
    if (last.at < solverEnded.at || known === undefined) return []
    const names = last.processes.map(([name]) => name).filter((name) => !isExempt(last.pod, name))
    const surplus = names.length <= known.length ? [] : programsWithout(names, known)
    const listEarlierOfGroup = (): readonly Observation[] =>
      all.filter((one) => one.at <= solverStartedAt && groupOf(one) === group)
    const strays =
      rules < RULES_WITH_IDENTITIES ? [] : startedStrays(observations, listEarlierOfGroup, solverStartedAt)
    const left = surplus.length > 0 ? surplus : strays
    if (left.length === 0) return []
    return [{ object: `Pod/${last.pod}`, what: `was left with a running process: ${left.join(', ')}` }]
  })
}
