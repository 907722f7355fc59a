/** The last rollout of a workload broke it: what it changed is put back, and nothing else. */

import { symptomsOf } from '../observe/symptoms.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { patchTask, toPlaybook } from '../playbook.ts'
import { candidates, defineRunbook, type Focus, type Hypothesis } from '../runbook.ts'
import { classifyChange } from '../template/classify-change.ts'
import { compareTemplates, describeDifference } from '../template/template-difference.ts'
import { undoPatch } from '../template/undo-patch.ts'

/** A rollout of a service that nobody complains of may be just that. */
const SCORES = { named: 0.97, suffers: 0.92, quiet: 0.7 } as const

const toHypothesis = async (
  world: World,
  focus: Focus,
  workload: WorkloadView & { readonly previous: NonNullable<WorkloadView['previous']> },
): Promise<readonly Hypothesis[]> => {
  const { service, name, kind, template, previous } = workload
  const differences = compareTemplates(template, previous)
  if (differences.length === 0) return []
  const { what, layer, type } = classifyChange(differences, await world.podsOf(service))
  const symptoms = focus.service === undefined ? await symptomsOf(world, service) : []
  const score =
    focus.service !== undefined ? SCORES.named : symptoms.length > 0 ? SCORES.suffers : SCORES.quiet
  return [
    {
      ...{ runbook: 'rollout', services: [service], layer, type, score, mayPass: false },
      claim: `The last rollout of ${service} changed ${what}, and that broke it.`,
      evidence: [
        ...differences.slice(0, 4).map((one) => `against the revision before, ${describeDifference(one)}`),
        ...symptoms,
      ],
      fix: {
        plan: `Put back what the rollout of ${kind} ${name} changed, and leave the rest of its template alone.`,
        services: [service],
        playbook: toPlaybook(`Take the last rollout of ${service} back`, [
          patchTask(
            'Put back what differs from the revision before',
            { apiVersion: 'apps/v1', kind, name, namespace: world.namespace },
            { spec: { template: undoPatch(template, previous) } },
          ),
        ]),
      },
    },
  ]
}

export const rollout = defineRunbook({
  name: 'rollout',
  about:
    'a changed pod template: image, command, limits, variables, probes, volumes, placement, DNS, bandwidth',
  categories: [
    ...(['pod-config-error', 'pod-fail', 'cpu-stress', 'memory-stress'] as const),
    ...(['disk-io', 'network-delay', 'network-loss'] as const),
  ],
  async look(world, focus) {
    const found: Hypothesis[] = []
    for (const workload of await candidates(world, focus)) {
      const { previous } = workload
      if (previous === undefined) continue
      found.push(...(await toHypothesis(world, focus, { ...workload, previous })))
    }
    return found
  },
})
