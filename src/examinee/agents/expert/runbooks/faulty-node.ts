/** Runbook for a faulty node, on which all affected services have pods: drains the node. */
import type { FaultType } from '#spec'
import type { PodView } from '../observe/pods.ts'
import { findRootCalls, rankRoots } from '../observe/roots.ts'
import { type Call, describeCall } from '../observe/traffic.ts'
import { describeUsage, isThrottled } from '../observe/usage.ts'
import type { World } from '../observe/world.ts'
import { drainTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Focus, type Hypothesis } from '../runbook.ts'

/** The minimum share of the node's pods or services that must be affected. */
const MIN_AFFECTED_SHARE = 0.6

interface Finding {
  readonly node: string
  readonly services: readonly string[]
  readonly type: FaultType
  readonly evidence: readonly string[]
}

const groupByNode = async (world: World): Promise<ReadonlyMap<string, readonly PodView[]>> => {
  const nodes = new Map<string, PodView[]>()
  for (const pod of await world.pods())
    if (pod.node !== undefined) nodes.set(pod.node, [...(nodes.get(pod.node) ?? []), pod])
  return nodes
}

/** Finds a node whose pods are throttled, while pods on other nodes are not. */
const findThrottledNode = async (world: World): Promise<Finding | undefined> => {
  const throttled = (await world.metrics()).usage.filter(isThrottled)
  const names = new Set(throttled.map(({ pod }) => pod))
  for (const [node, pods] of await groupByNode(world)) {
    const affectedPods = pods.filter(({ name }) => names.has(name))
    if (
      affectedPods.length < 2 ||
      affectedPods.length < MIN_AFFECTED_SHARE * pods.length ||
      affectedPods.length < names.size
    )
      continue
    return {
      ...({ node, type: 'capacity-shortage' } as const),
      services: [...new Set(affectedPods.map(({ service }) => service))],
      evidence: throttled.slice(0, 4).map(describeUsage),
    }
  }
  return undefined
}

const involves = (call: Call, services: ReadonlySet<string>): boolean =>
  services.has(call.from) || services.has(call.to)

/** Removes the calls that the named or most likely service explains. */
const excludeLikelyCause = (rootCalls: readonly Call[], service: string | undefined): readonly Call[] => {
  const likelyCause = service ?? rankRoots(rootCalls)[0]?.service ?? ''
  return rootCalls.filter((call) => !involves(call, new Set([likelyCause])))
}

/** Finds a node with slow calls to and from its pods, if no single service explains them. */
const findSlowNode = async (world: World, { service }: Focus): Promise<Finding | undefined> => {
  const rootCalls = findRootCalls(await world.calls())
  const otherCalls = excludeLikelyCause(rootCalls, service)
  // If the report names a service, one slow call elsewhere is not sufficient evidence.
  if (otherCalls.length < (service === undefined ? 1 : 2)) return undefined
  for (const [node, pods] of await groupByNode(world)) {
    const services = new Set(pods.map((pod) => pod.service))
    if (services.size < 2 || !rootCalls.every((call) => involves(call, services))) continue
    const affected = [...services].filter((name) => rootCalls.some((call) => involves(call, new Set([name]))))
    const otherServices = [...services].filter((name) => name !== service)
    const otherAffected = otherServices.filter((name) =>
      otherCalls.some((call) => involves(call, new Set([name]))),
    )
    if (affected.length < Math.max(2, MIN_AFFECTED_SHARE * services.size)) continue
    if (service !== undefined && otherAffected.length < MIN_AFFECTED_SHARE * otherServices.length) continue
    return {
      ...({ node, type: 'network-storage-issue' } as const),
      services: affected,
      evidence: rootCalls.slice(0, 4).map(describeCall),
    }
  }
  return undefined
}

const toHypothesis = ({ node, services, type, evidence }: Finding, { service }: Focus): Hypothesis => ({
  ...({ runbook: 'faulty-node', layer: 'hardware', type } as const),
  score: 0.87,
  mayBeTransient: false,
  evidence,
  services: service === undefined ? services : [service, ...services.filter((name) => name !== service)],
  claim: `The node ${node} is faulty: all affected services (${services.join(', ')}) have pods on it.`,
  fix: {
    plan: `Cordon ${node}, and move its pods to other nodes.`,
    services,
    playbook: toPlaybook(`Drain the node ${node}`, [drainTask('Cordon and drain the node', node)]),
  },
})

export const faultyNode = defineRunbook({
  name: 'faulty-node',
  about: 'a node on which most pods are affected',
  categories: ['cpu-stress', 'disk-io', 'network-delay'],
  async diagnose(world, focus) {
    const checksCpu = focus.category === undefined || focus.category === 'cpu-stress'
    const checksCalls = focus.category !== 'cpu-stress'
    const finding =
      (checksCpu ? await findThrottledNode(world) : undefined) ??
      (checksCalls ? await findSlowNode(world, focus) : undefined)
    if (finding === undefined) return []
    if (focus.service !== undefined && !finding.services.includes(focus.service)) return []
    return [toHypothesis(finding, focus)]
  },
})
