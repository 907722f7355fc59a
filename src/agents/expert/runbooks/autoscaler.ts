/** An autoscaler that has reached its ceiling while its pods want more CPU than they have. */
import type { ApiObject } from '../../../spec/index.ts'
import { specOf, statusOf } from '../observe/kube-shapes.ts'
import { describeUsage, isStarved } from '../observe/usage.ts'
import type { World } from '../observe/world.ts'
import { patchTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, isInFocus } from '../runbook.ts'

interface AutoscalerSpec {
  readonly scaleTargetRef: { readonly kind: string; readonly name: string }
  readonly minReplicas?: number
  readonly maxReplicas: number
}

/** A crowd that came at once is not served by one pod more. */
const GROWTH = 4

const inspect = async (world: World, autoscaler: ApiObject): Promise<Hypothesis | undefined> => {
  const { scaleTargetRef: target, maxReplicas, minReplicas = 1 } = specOf<AutoscalerSpec>(autoscaler)
  const { currentReplicas = minReplicas } = statusOf<{ currentReplicas?: number }>(autoscaler)
  if (currentReplicas < maxReplicas) return undefined
  const workload = (await world.workloads()).find(
    ({ kind, name }) => kind === target.kind && name === target.name,
  )
  if (workload === undefined) return undefined
  const starved = (await world.metrics()).usage.filter(
    (one) => one.service === workload.service && isStarved(one),
  )
  if (starved.length === 0) return undefined
  const { name } = autoscaler.metadata
  const least = GROWTH * currentReplicas
  return {
    ...({ runbook: 'autoscaler', layer: 'virtualisation', type: 'misconfiguration' } as const),
    services: [workload.service],
    score: 0.98,
    mayPass: false,
    claim: `The autoscaler of ${workload.service} is at its ceiling of ${maxReplicas}, and its pods are starved.`,
    evidence: [
      `HorizontalPodAutoscaler ${name}: ${minReplicas} to ${maxReplicas}, now ${currentReplicas}`,
      ...starved.map(describeUsage),
    ],
    fix: {
      plan: `Raise the ceiling to ${2 * least}, and the floor to ${least} while so many users are there.`,
      services: [workload.service],
      playbook: toPlaybook(`Let ${workload.service} grow`, [
        patchTask(
          'Raise the ceiling of the autoscaler, and its floor for now',
          {
            apiVersion: 'autoscaling/v2',
            kind: 'HorizontalPodAutoscaler',
            name,
            namespace: world.namespace,
          },
          { spec: { minReplicas: least, maxReplicas: 2 * least } },
        ),
      ]),
    },
  }
}

export const autoscaler = defineRunbook({
  name: 'autoscaler',
  about: 'an autoscaler at its ceiling',
  categories: ['cpu-stress'],
  async look(world, focus) {
    const found: Hypothesis[] = []
    for (const object of await world.objects('HorizontalPodAutoscaler')) {
      const hypothesis = await inspect(world, object)
      if (hypothesis !== undefined && isInFocus(focus, hypothesis.services[0]!)) found.push(hypothesis)
    }
    return found
  },
})
