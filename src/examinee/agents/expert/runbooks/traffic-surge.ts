/** Runbook for increased load: raises the CPU limits of throttled services. */

import { describeUsage, isThrottled, type Usage } from '../observe/usage.ts'
import { mainContainer, type WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { patchAllTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, isInFocus } from '../runbook.ts'
import { listStores } from '../stores/stores.ts'

/** A smaller growth in calls is normal variation. */
const MIN_CALL_GROWTH = 1.4
/** The playbook policy does not allow limits to be raised further. */
const CPU_FACTOR = 2

/** Returns the ratio of the current call rate to the baseline. */
const measureCallGrowth = async (world: World): Promise<number> => {
  const knownCalls = (await world.calls()).filter(({ before }) => (before?.count ?? 0) > 0)
  const sum = (rates: readonly number[]): number => rates.reduce((total, rate) => total + rate, 0)
  return (
    sum(knownCalls.map(({ now }) => now.rate)) /
    Math.max(0.1, sum(knownCalls.map(({ before }) => before!.rate)))
  )
}

interface ThrottledWorkload {
  readonly workload: WorkloadView
  readonly usage: Usage
}

/** Stores are excluded: more CPU does not make them faster. */
const listThrottledWorkloads = async (world: World): Promise<readonly ThrottledWorkload[]> => {
  const usages = (await world.metrics()).usage.filter(isThrottled)
  const workloads = usages.length === 0 ? [] : await world.workloads()
  const stores = new Set(listStores(workloads).map(({ workload }) => workload.name))
  return usages.flatMap((usage) => {
    const workload = workloads.find(({ service }) => service === usage.service)
    if (workload === undefined || stores.has(workload.name)) return []
    return mainContainer(workload)?.name === usage.container ? [{ workload, usage }] : []
  })
}

/** This many processes or more with the same name are not part of the service. */
const MIN_EQUAL_PROCESSES = 3

/** Whether programs other than the service run in the container; undefined if the container cannot be inspected. */
const hasForeignProcesses = async (world: World, { pod, container }: Usage): Promise<boolean | undefined> => {
  const output = await world.exec(pod, container, `sh -c 'cat /proc/1/comm /proc/[0-9]*/comm'`)
  if (output === undefined) return undefined
  const [entry, ...names] = output.trim().split(/\s+/)
  const foreign = names.filter((name) => name !== entry)
  return foreign.some(
    (name) => foreign.filter((candidate) => candidate === name).length >= MIN_EQUAL_PROCESSES,
  )
}

const toDoubledLimits = (namespace: string, { workload, usage }: ThrottledWorkload): object => ({
  apiVersion: 'apps/v1',
  kind: workload.kind,
  metadata: { name: workload.name, namespace },
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: usage.container,
            resources: { limits: { cpu: `${Math.round(CPU_FACTOR * usage.cpuLimitCores! * 1000)}m` } },
          },
        ],
      },
    },
  },
})

export const trafficSurge = defineRunbook({
  name: 'traffic-surge',
  about: 'more load than the CPU limits of the services allow',
  categories: ['cpu-stress'],
  async diagnose(world, focus) {
    const throttled = await listThrottledWorkloads(world)
    const growth = throttled.length === 0 ? 0 : await measureCallGrowth(world)
    const services = [...new Set(throttled.map(({ workload }) => workload.service))]
    if (growth < MIN_CALL_GROWTH || !services.some((service) => isInFocus(focus, service))) return []
    // If the container cannot be inspected, several throttled services are sufficient evidence.
    if ((await hasForeignProcesses(world, throttled[0]!.usage)) ?? services.length < 2) return []
    return [
      {
        ...({ runbook: 'traffic-surge', layer: 'hardware', type: 'capacity-shortage' } as const),
        services,
        score: 0.88,
        mayBeTransient: true,
        claim: `The call rate is ${growth.toFixed(1)} times the baseline, and ${services.join(', ')} are throttled.`,
        evidence: [
          'no rollout explains it, so the load of users has increased',
          ...throttled.map(({ usage }) => describeUsage(usage)),
        ],
        fix: {
          plan: `Double the CPU limits of ${services.join(', ')}. Nothing else is changed.`,
          services,
          playbook: toPlaybook('Raise CPU limits for the increased load', [
            patchAllTask(
              'Raise the CPU limits of the throttled services',
              throttled.map((candidate) => toDoubledLimits(world.namespace, candidate)),
            ),
          ]),
        },
      },
    ]
  },
})
