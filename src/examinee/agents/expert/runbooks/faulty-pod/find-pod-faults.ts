/** Finds services with a faulty pod, and the category of the fault, from usage, readiness and calls. */
import type { EndpointStatistics, FaultCategory } from '#spec'
import { describePod, type PodView } from '../../observe/pods.ts'
import { listEntryServices, type Root, rankRoots } from '../../observe/roots.ts'
import { listFailingJourneys } from '../../observe/symptoms.ts'
import { describeCall, isDegraded, isFailing, slowdownOf } from '../../observe/traffic.ts'
import { describeUsage, isThrottled, usesExcessiveMemory } from '../../observe/usage.ts'
import type { WorkloadView } from '../../observe/workloads.ts'
import type { World } from '../../observe/world.ts'

export interface PodFault {
  readonly service: string
  readonly category: FaultCategory
  readonly score: number
  readonly evidence: readonly string[]
}

/** Lists failing and slow journeys. */
const listUserSymptoms = async (world: World): Promise<readonly string[]> => {
  const slow = (await world.alerts()).filter(({ name }) => name === 'JourneySlow')
  return [...(await listFailingJourneys(world)), ...slow.map(({ summary }) => summary)]
}

/** Lists containers whose image differs from the pod template: the pod itself was changed. */
export const findAlteredImages = (pod: PodView, workload: WorkloadView | undefined): readonly string[] =>
  (workload?.template.spec.containers ?? []).flatMap(({ name, image }) => {
    const actual = pod.spec.containers.find((container) => container.name === name)?.image
    return actual === undefined || actual === image
      ? []
      : [`${name} runs ${actual}, but its pod template has ${image}`]
  })

/** Finds pods that run but are not ready. */
const findUnreadyPods = async (world: World): Promise<readonly PodFault[]> => {
  const unready = (await world.pods()).filter(({ isReady, phase }) => !isReady && phase === 'Running')
  const workloads = unready.length === 0 ? [] : await world.workloads()
  return unready.map((pod) => {
    const altered = findAlteredImages(
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

/** Lists the services with degraded calls, and the entry services if journeys are degraded. */
const listAffectedServices = async (world: World): Promise<ReadonlySet<string>> => {
  const calls = await world.calls()
  const degraded = calls.filter(isDegraded).flatMap(({ from, to }) => [from, to])
  const hasUserImpact = (await listUserSymptoms(world)).length > 0
  return new Set([...degraded, ...(hasUserImpact ? listEntryServices(calls) : [])])
}

/** High CPU usage alone is not a fault: calls must also be degraded. */
const findOverloadedPods = async (world: World): Promise<readonly PodFault[]> => {
  const overloaded = (await world.metrics()).usage.filter(
    (usage) => usesExcessiveMemory(usage) || isThrottled(usage),
  )
  const affected = overloaded.length === 0 ? new Set<string>() : await listAffectedServices(world)
  return overloaded
    .filter((usage) => usesExcessiveMemory(usage) || affected.has(usage.service))
    .map((usage) => ({
      service: usage.service,
      ...(usesExcessiveMemory(usage)
        ? ({ category: 'memory-stress', score: affected.has(usage.service) ? 0.84 : 0.6 } as const)
        : ({ category: 'cpu-stress', score: 0.8 } as const)),
      evidence: [describeUsage(usage)],
    }))
}

const CLOCK_ERROR = /expired|not yet valid|clock|in the future/i

/** The mean of the median durations that the service itself reports; undefined if it reports none. */
const meanServerMs = (endpoints: readonly EndpointStatistics[], service: string): number | undefined => {
  const serviceEndpoints = endpoints.filter(
    (statistics) => statistics.service === service && statistics.p50 !== undefined,
  )
  const count = serviceEndpoints.reduce((sum, statistics) => sum + statistics.count, 0)
  return count === 0
    ? undefined
    : serviceEndpoints.reduce((sum, statistics) => sum + statistics.count * statistics.p50!, 0) / count
}

/** If the service itself reports the slowdown, the cause is inside it. If only its callers do, the network is slow. */
const categoryOf = async (world: World, { service, calls }: Root): Promise<FaultCategory> => {
  const failing = calls.filter(isFailing)
  if (failing.length > 0) {
    const lines = await world.warnings(service)
    return lines.some(({ text }) => CLOCK_ERROR.test(text)) ? 'pod-config-error' : 'network-loss'
  }
  const { endpoints } = await world.metrics()
  const incoming = calls.filter(({ to }) => to === service)
  const outgoing = calls.filter((call) => call.from === service)
  if (outgoing.some((call) => slowdownOf(call) > 0)) return 'network-delay'
  const serverMs = meanServerMs(endpoints, service)
  const slowest = Math.max(0, ...incoming.map(({ now }) => now.p50 ?? 0))
  const isMedianSlow = incoming.some(({ now, before }) => (now.p50 ?? 0) > 2 * (before?.p50 ?? 0))
  if (serverMs === undefined) return isMedianSlow ? 'network-delay' : 'disk-io'
  return serverMs > slowest / 2 ? 'disk-io' : 'network-delay'
}

/** The score of the first root: higher if its weight is much larger than that of the second. */
const scoreFirst = ([first, second]: readonly Root[]): number =>
  second === undefined || first!.weight >= 1.4 * second.weight ? 0.72 : 0.55

const findRootPods = async (world: World): Promise<readonly PodFault[]> => {
  const roots = rankRoots(await world.calls())
  const candidates: PodFault[] = []
  for (const [index, root] of roots.slice(0, 3).entries())
    candidates.push({
      service: root.service,
      category: await categoryOf(world, root),
      score: index === 0 ? scoreFirst(roots) : 0.4 - index / 20,
      evidence: root.calls.slice(0, 3).map(describeCall),
    })
  return candidates
}

/** If journeys are degraded and no call between services is, the entry services are suspected. */
const findEntryPods = async (world: World): Promise<readonly PodFault[]> => {
  const evidence = await listUserSymptoms(world)
  if (evidence.length === 0) return []
  const hasFailures = (await listFailingJourneys(world)).length > 0
  const category = hasFailures ? ('network-loss' as const) : ('network-delay' as const)
  return listEntryServices(await world.calls()).map((service) => ({
    service,
    category,
    score: 0.45,
    evidence,
  }))
}

/** Returns each service once, most likely first. */
export const findPodFaults = async (world: World): Promise<readonly PodFault[]> => {
  const observed = [...(await findUnreadyPods(world)), ...(await findOverloadedPods(world))]
  const roots = observed.length > 0 ? [] : await findRootPods(world)
  const entries = observed.length + roots.length > 0 ? [] : await findEntryPods(world)
  const candidates = [...observed, ...roots, ...entries].sort((a, b) => b.score - a.score)
  return candidates.filter(
    (podFault, index) => candidates.findIndex(({ service }) => service === podFault.service) === index,
  )
}
