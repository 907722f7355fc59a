/** Which service has a sick pod, and what ails it, by what pods use, whether they serve, and how calls to them go. */
import type { EndpointStatistics, FaultCategory } from '../../../../spec/index.ts'
import { describePod, type PodView } from '../../observe/pods.ts'
import { entriesOf, type Root, rankRoots } from '../../observe/roots.ts'
import { failingJourneys } from '../../observe/symptoms.ts'
import { describeCall, isFailing, isTroubled, slowdownOf } from '../../observe/traffic.ts'
import { describeUsage, isBloated, isStarved } from '../../observe/usage.ts'
import type { WorkloadView } from '../../observe/workloads.ts'
import type { World } from '../../observe/world.ts'

export interface Sickness {
  readonly service: string
  readonly category: FaultCategory
  readonly score: number
  readonly evidence: readonly string[]
}

/** What users complain of, in phrases. */
const usersSuffer = async (world: World): Promise<readonly string[]> => {
  const slow = (await world.alerts()).filter(({ name }) => name === 'JourneySlow')
  return [...(await failingJourneys(world)), ...slow.map(({ summary }) => summary)]
}

/** Images of a pod that its workload did not give it: somebody has changed the pod itself. */
export const alteredImage = (pod: PodView, workload: WorkloadView | undefined): readonly string[] =>
  (workload?.template.spec.containers ?? []).flatMap(({ name, image }) => {
    const is = pod.spec.containers.find((one) => one.name === name)?.image
    return is === undefined || is === image ? [] : [`${name} runs ${is}, and its workload says ${image}`]
  })

/** Those that run, or were started in vain, and are not ready. */
const idlePods = async (world: World): Promise<readonly Sickness[]> => {
  const idle = (await world.pods()).filter(({ ready, phase }) => !ready && phase === 'Running')
  const workloads = idle.length === 0 ? [] : await world.workloads()
  return idle.map((pod) => {
    const altered = alteredImage(
      pod,
      workloads.find(({ service }) => service === pod.service),
    )
    return {
      ...({ service: pod.service, category: 'pod-fail' } as const),
      score: altered.length > 0 ? 0.9 : 0.82,
      evidence: [`pod ${describePod(pod)}`, ...altered],
    }
  })
}

/** Services whose calls suffer, and those where users come in when these do. */
const sufferers = async (world: World): Promise<ReadonlySet<string>> => {
  const calls = await world.calls()
  const troubled = calls.filter(isTroubled).flatMap(({ from, to }) => [from, to])
  const isFelt = (await usersSuffer(world)).length > 0
  return new Set([...troubled, ...(isFelt ? entriesOf(calls) : [])])
}

/** To be busy is no sickness as long as nobody suffers from it. */
const hungryPods = async (world: World): Promise<readonly Sickness[]> => {
  const hungry = (await world.metrics()).usage.filter((usage) => isBloated(usage) || isStarved(usage))
  const suffering = hungry.length === 0 ? new Set<string>() : await sufferers(world)
  return hungry
    .filter((usage) => isBloated(usage) || suffering.has(usage.service))
    .map((usage) => ({
      service: usage.service,
      ...(isBloated(usage)
        ? ({ category: 'memory-stress', score: suffering.has(usage.service) ? 0.84 : 0.6 } as const)
        : ({ category: 'cpu-stress', score: 0.8 } as const)),
      evidence: [describeUsage(usage)],
    }))
}

const TIME = /expired|not yet valid|clock|in the future/i

/** Milliseconds that the service itself takes, by its own account; undefined where it gives none. */
const servedMs = (endpoints: readonly EndpointStatistics[], service: string): number | undefined => {
  const own = endpoints.filter((one) => one.service === service && one.p50 !== undefined)
  const count = own.reduce((sum, one) => sum + one.count, 0)
  return count === 0 ? undefined : own.reduce((sum, one) => sum + one.count * one.p50!, 0) / count
}

/** What a service calls slow by its own account is inside it; what only its callers call slow is on the way. */
const categoryOf = async (world: World, { service, calls }: Root): Promise<FaultCategory> => {
  const failing = calls.filter(isFailing)
  if (failing.length > 0) {
    const lines = await world.complaints(service)
    return lines.some(({ text }) => TIME.test(text)) ? 'pod-config-error' : 'network-loss'
  }
  const { endpoints } = await world.metrics()
  const incoming = calls.filter(({ to }) => to === service)
  const outgoing = calls.filter((call) => call.from === service)
  if (outgoing.some((call) => slowdownOf(call) > 0)) return 'network-delay'
  const own = servedMs(endpoints, service)
  const slowest = Math.max(0, ...incoming.map(({ now }) => now.p50 ?? 0))
  const isUsual = incoming.some(({ now, before }) => (now.p50 ?? 0) > 2 * (before?.p50 ?? 0))
  if (own === undefined) return isUsual ? 'network-delay' : 'disk-io'
  return own > slowest / 2 ? 'disk-io' : 'network-delay'
}

/** How sure the first of several roots is. */
const sureness = ([first, second]: readonly Root[]): number =>
  second === undefined || first!.weight >= 1.4 * second.weight ? 0.72 : 0.55

const rootPods = async (world: World): Promise<readonly Sickness[]> => {
  const roots = rankRoots(await world.calls())
  const found: Sickness[] = []
  for (const [index, root] of roots.slice(0, 3).entries())
    found.push({
      service: root.service,
      category: await categoryOf(world, root),
      score: index === 0 ? sureness(roots) : 0.4 - index / 20,
      evidence: root.calls.slice(0, 3).map(describeCall),
    })
  return found
}

/** Users suffer, and no call between services does: it is where they come in. */
const entryPods = async (world: World): Promise<readonly Sickness[]> => {
  const evidence = await usersSuffer(world)
  if (evidence.length === 0) return []
  const isFailure = (await failingJourneys(world)).length > 0
  const category = isFailure ? ('network-loss' as const) : ('network-delay' as const)
  return entriesOf(await world.calls()).map((service) => ({ service, category, score: 0.45, evidence }))
}

/** The likeliest first; each service once. */
export const findSickness = async (world: World): Promise<readonly Sickness[]> => {
  const sure = [...(await idlePods(world)), ...(await hungryPods(world))]
  const roots = sure.length > 0 ? [] : await rootPods(world)
  const entries = sure.length + roots.length > 0 ? [] : await entryPods(world)
  const all = [...sure, ...roots, ...entries].sort((one, other) => other.score - one.score)
  return all.filter((one, index) => all.findIndex(({ service }) => service === one.service) === index)
}
