/** Services that have nothing in common but their node suffer: the node is taken out of service. */
import type { FaultType } from '../../../spec/index.ts'
import type { PodView } from '../observe/pods.ts'
import { ownTroubles, rankRoots } from '../observe/roots.ts'
import { type Call, describeCall } from '../observe/traffic.ts'
import { describeUsage, isStarved } from '../observe/usage.ts'
import type { World } from '../observe/world.ts'
import { drainTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Focus, type Hypothesis } from '../runbook.ts'

/** Of the pods on a node, those that must suffer. */
const SHARE = 0.6

interface Finding {
  readonly node: string
  readonly services: readonly string[]
  readonly type: FaultType
  readonly evidence: readonly string[]
}

const nodesOf = async (world: World): Promise<ReadonlyMap<string, readonly PodView[]>> => {
  const nodes = new Map<string, PodView[]>()
  for (const pod of await world.pods())
    if (pod.node !== undefined) nodes.set(pod.node, [...(nodes.get(pod.node) ?? []), pod])
  return nodes
}

/** Pods on one node are starved, and on no other. */
const starvedNode = async (world: World): Promise<Finding | undefined> => {
  const starved = (await world.metrics()).usage.filter(isStarved)
  const names = new Set(starved.map(({ pod }) => pod))
  for (const [node, pods] of await nodesOf(world)) {
    const hit = pods.filter(({ name }) => names.has(name))
    if (hit.length < 2 || hit.length < SHARE * pods.length || hit.length < names.size) continue
    return {
      ...({ node, type: 'capacity-shortage' } as const),
      services: [...new Set(hit.map(({ service }) => service))],
      evidence: starved.slice(0, 4).map(describeUsage),
    }
  }
  return undefined
}

const touches = (call: Call, services: ReadonlySet<string>): boolean =>
  services.has(call.from) || services.has(call.to)

/** Calls that are left when the one service is taken out that would explain most. */
const besidesOne = (own: readonly Call[], service: string | undefined): readonly Call[] => {
  const likeliest = service ?? rankRoots(own)[0]?.service ?? ''
  return own.filter((call) => !touches(call, new Set([likeliest])))
}

/** Calls to and from pods on one node are slow, whoever is at their other end, and no single service explains it. */
const slowNode = async (world: World, { service }: Focus): Promise<Finding | undefined> => {
  const own = ownTroubles(await world.calls())
  const rest = besidesOne(own, service)
  // Against a report that names a service one slow call elsewhere says nothing.
  if (rest.length < (service === undefined ? 1 : 2)) return undefined
  for (const [node, pods] of await nodesOf(world)) {
    const services = new Set(pods.map((pod) => pod.service))
    if (services.size < 2 || !own.every((call) => touches(call, services))) continue
    const hit = [...services].filter((one) => own.some((call) => touches(call, new Set([one]))))
    const others = [...services].filter((one) => one !== service)
    const hitBesides = others.filter((one) => rest.some((call) => touches(call, new Set([one]))))
    if (hit.length < Math.max(2, SHARE * services.size)) continue
    if (service !== undefined && hitBesides.length < SHARE * others.length) continue
    return {
      ...({ node, type: 'network-storage-issue' } as const),
      services: hit,
      evidence: own.slice(0, 4).map(describeCall),
    }
  }
  return undefined
}

const toHypothesis = ({ node, services, type, evidence }: Finding, { service }: Focus): Hypothesis => ({
  ...({ runbook: 'sick-node', layer: 'hardware', type } as const),
  score: 0.87,
  mayPass: false,
  evidence,
  services: service === undefined ? services : [service, ...services.filter((one) => one !== service)],
  claim: `${services.join(', ')} suffer together, and have nothing in common but the node ${node}.`,
  fix: {
    plan: `Cordon ${node} and move its pods to the other nodes.`,
    services,
    playbook: toPlaybook(`Take the node ${node} out of service`, [
      drainTask('Cordon it, and move its pods to other nodes', node),
    ]),
  },
})

export const sickNode = defineRunbook({
  name: 'sick-node',
  about: 'a node on which every pod suffers',
  categories: ['cpu-stress', 'disk-io', 'network-delay'],
  async look(world, focus) {
    const starved = focus.category === undefined || focus.category === 'cpu-stress'
    const slow = focus.category !== 'cpu-stress'
    const found =
      (starved ? await starvedNode(world) : undefined) ?? (slow ? await slowNode(world, focus) : undefined)
    if (found === undefined) return []
    if (focus.service !== undefined && !found.services.includes(focus.service)) return []
    return [toHypothesis(found, focus)]
  },
})
