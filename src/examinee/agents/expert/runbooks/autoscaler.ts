/** Runbook for an autoscaler that is at its maximum while its pods are throttled: raises its minimum and maximum. */
import { type ApiObject, viewAs } from '#spec'
import { describeUsage, isThrottled } from '../observe/usage.ts'
import type { World } from '../observe/world.ts'
import { patchTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, isInFocus } from '../runbook.ts'

/** One more pod is not enough for a sudden increase in users. */
const GROWTH_FACTOR = 4

const inspect = async (world: World, autoscaler: ApiObject): Promise<Hypothesis | undefined> => {
  const { spec, status } = viewAs('HorizontalPodAutoscaler', autoscaler)
  if (spec === undefined) return undefined
  const { scaleTargetRef: target, maxReplicas, minReplicas = 1 } = spec
  const currentReplicas = status?.currentReplicas ?? minReplicas
  if (currentReplicas < maxReplicas) return undefined
  const workload = (await world.workloads()).find(
    ({ kind, name }) => kind === target.kind && name === target.name,
  )
  if (workload === undefined) return undefined
  const throttled = (await world.metrics()).usage.filter(
    (usage) => usage.service === workload.service && isThrottled(usage),
  )
  if (throttled.length === 0) return undefined
  const { name } = autoscaler.metadata
  const minimum = GROWTH_FACTOR * currentReplicas
  return {
    ...({ runbook: 'autoscaler', layer: 'virtualisation', type: 'misconfiguration' } as const),
    services: [workload.service],
    score: 0.98,
    mayBeTransient: false,
    claim: `The autoscaler of ${workload.service} is at its maximum of ${maxReplicas} replicas, and its pods are throttled.`,
    evidence: [
      `HorizontalPodAutoscaler ${name}: ${minReplicas} to ${maxReplicas} replicas, current ${currentReplicas}`,
      ...throttled.map(describeUsage),
    ],
    fix: {
      plan: `Raise the maximum to ${2 * minimum} replicas, and the minimum to ${minimum} during the increased load.`,
      services: [workload.service],
      playbook: toPlaybook(`Scale ${workload.service} out`, [
        patchTask(
          'Raise the maximum and the minimum of the autoscaler',
          {
            apiVersion: 'autoscaling/v2',
            kind: 'HorizontalPodAutoscaler',
            name,
            namespace: world.namespace,
          },
          { spec: { minReplicas: minimum, maxReplicas: 2 * minimum } },
        ),
      ]),
    },
  }
}

export const autoscaler = defineRunbook({
  name: 'autoscaler',
  about: 'an autoscaler at its maximum',
  categories: ['cpu-stress'],
  async diagnose(world, focus) {
    const hypotheses: Hypothesis[] = []
    for (const object of await world.objects('HorizontalPodAutoscaler')) {
      const hypothesis = await inspect(world, object)
      if (hypothesis !== undefined && isInFocus(focus, hypothesis.services[0]!)) hypotheses.push(hypothesis)
    }
    return hypotheses
  },
})
