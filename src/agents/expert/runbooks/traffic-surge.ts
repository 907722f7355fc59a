/** Many more users than usual: those who are held back by their CPU limit while they serve them get more of it. */

import { describeUsage, isStarved, type Usage } from '../observe/usage.ts'
import { mainContainer, type WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { patchAllTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, isInFocus } from '../runbook.ts'
import { storesOf } from '../stores/stores.ts'

/** From this many times the calls on it is no chance. */
const CROWD = 1.4
/** No more than this is asked of the policy on limits. */
const GROWTH = 2

/** How many times as many calls there are as before. */
const growthOfCalls = async (world: World): Promise<number> => {
  const known = (await world.calls()).filter(({ before }) => (before?.count ?? 0) > 0)
  const sum = (rates: readonly number[]): number => rates.reduce((so, rate) => so + rate, 0)
  return sum(known.map(({ now }) => now.rate)) / Math.max(0.1, sum(known.map(({ before }) => before!.rate)))
}

interface Crowded {
  readonly workload: WorkloadView
  readonly usage: Usage
}

/** A store is not made faster by a larger share of its node. */
const crowdedOf = async (world: World): Promise<readonly Crowded[]> => {
  const starved = (await world.metrics()).usage.filter(isStarved)
  const workloads = starved.length === 0 ? [] : await world.workloads()
  const stores = new Set(storesOf(workloads).map(({ workload }) => workload.name))
  return starved.flatMap((usage) => {
    const workload = workloads.find(({ service }) => service === usage.service)
    if (workload === undefined || stores.has(workload.name)) return []
    return mainContainer(workload)?.name === usage.container ? [{ workload, usage }] : []
  })
}

/** So many processes of one name are no program that serves. */
const MANY = 3

/** Whether something else than the program that serves runs in the container, as `top` would show it; nothing where nobody may look. */
const hasIntruders = async (world: World, { pod, container }: Usage): Promise<boolean | undefined> => {
  const said = await world.ask(pod, container, `sh -c 'cat /proc/1/comm /proc/[0-9]*/comm'`)
  if (said === undefined) return undefined
  const [own, ...names] = said.trim().split(/\s+/)
  const foreign = names.filter((name) => name !== own)
  return foreign.some((name) => foreign.filter((one) => one === name).length >= MANY)
}

const doubled = (namespace: string, { workload, usage }: Crowded): object => ({
  apiVersion: 'apps/v1',
  kind: workload.kind,
  metadata: { name: workload.name, namespace },
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: usage.container,
            resources: { limits: { cpu: `${Math.round(GROWTH * usage.cpuLimitCores! * 1000)}m` } },
          },
        ],
      },
    },
  },
})

export const trafficSurge = defineRunbook({
  name: 'traffic-surge',
  about: 'more users than the CPU of those who serve them is enough for',
  categories: ['cpu-stress'],
  async look(world, focus) {
    const crowded = await crowdedOf(world)
    const growth = crowded.length === 0 ? 0 : await growthOfCalls(world)
    const services = [...new Set(crowded.map(({ workload }) => workload.service))]
    if (growth < CROWD || !services.some((service) => isInFocus(focus, service))) return []
    // Where nobody may look inside, several who are overrun at once speak for a crowd.
    if ((await hasIntruders(world, crowded[0]!.usage)) ?? services.length < 2) return []
    return [
      {
        ...({ runbook: 'traffic-surge', layer: 'hardware', type: 'capacity-shortage' } as const),
        services,
        score: 0.88,
        mayPass: true,
        claim: `There are ${growth.toFixed(1)} times as many calls as before, and ${services.join(', ')} cannot keep up.`,
        evidence: [
          'nothing has been rolled out, so it is the users who are more',
          ...crowded.map(({ usage }) => describeUsage(usage)),
        ],
        fix: {
          plan: `Give ${services.join(', ')} twice the CPU while the crowd is there, and leave the rest alone.`,
          services,
          playbook: toPlaybook('Give the services what the users need', [
            patchAllTask(
              'Raise the CPU limits of those who are held back',
              crowded.map((one) => doubled(world.namespace, one)),
            ),
          ]),
        },
      },
    ]
  },
})
