/** The last rollout of a workload broke it: what it changed is put back, and nothing else. */

import type { PodView } from '../observe/pods.ts'
import { symptomsOf } from '../observe/symptoms.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { patchTask, restartTask, toPlaybook } from '../playbook.ts'
import { candidates, defineRunbook, type Focus, type Hypothesis } from '../runbook.ts'
import { storesOf } from '../stores/stores.ts'
import { classifyChange } from '../template/classify-change.ts'
import { compareTemplates, type Difference, describeDifference } from '../template/template-difference.ts'
import { undoPatch } from '../template/undo-patch.ts'

/** A rollout of a service that nobody complains of may be just that. */
const SCORES = { named: 0.97, suffers: 0.92, quiet: 0.7 } as const

const isImage = ({ path }: Difference): boolean => path.at(-1) === 'image'

/** A pod that starts is asked in vain once or twice. */
const IN_VAIN = 3

/** Whether probes find nobody listening in pods that run. */
const isUnheard = async (world: World, pods: readonly PodView[]): Promise<boolean> => {
  const silent = pods.filter(({ ready, phase }) => !ready && phase === 'Running')
  if (silent.length === 0) return false
  const asked = (await world.events()).filter(
    ({ reason, object, message }) =>
      reason === 'Unhealthy' &&
      /refused|failed to connect|connect:/.test(message) &&
      silent.some(({ name }) => object === `Pod/${name}`),
  )
  return asked.reduce((sum, { count }) => sum + Math.max(1, count), 0) >= IN_VAIN
}

/** Whose pods crash although nothing of theirs has changed, because the store that they fill at their start is broken. */
const strandedBy = async (world: World, store: WorkloadView): Promise<readonly WorkloadView[]> => {
  if (storesOf([store]).length === 0) return []
  const crashing = (await world.pods()).filter(({ waiting = '' }) => waiting.startsWith('CrashLoopBackOff'))
  const services = new Set(crashing.map(({ service }) => service))
  if (services.size === 0) return []
  return (await world.workloads()).filter((one) => one.previous === undefined && services.has(one.service))
}

const toHypothesis = async (
  world: World,
  focus: Focus,
  workload: WorkloadView & { readonly previous: NonNullable<WorkloadView['previous']> },
): Promise<readonly Hypothesis[]> => {
  const { service, name, kind, template, previous } = workload
  const differences = compareTemplates(template, previous)
  if (differences.length === 0) return []
  const pods = await world.podsOf(service)
  const isDeaf = differences.some(isImage) && (await isUnheard(world, pods))
  const { what, layer, type } = classifyChange(differences, { pods, isDeaf })
  const stranded = await strandedBy(world, workload)
  const symptoms = focus.service === undefined ? await symptomsOf(world, service) : []
  const score =
    focus.service !== undefined ? SCORES.named : symptoms.length > 0 ? SCORES.suffers : SCORES.quiet
  return [
    {
      runbook: 'rollout',
      services: [service],
      layer,
      type,
      score,
      mayPass: false,
      claim: `The last rollout of ${service} changed ${what}, and that broke it.`,
      evidence: [
        ...differences.slice(0, 4).map((one) => `against the revision before, ${describeDifference(one)}`),
        ...symptoms,
      ],
      fix: {
        plan: `Put back what the rollout of ${kind} ${name} changed, and leave the rest of its template alone.`,
        services: [service, ...stranded.map((one) => one.service)],
        playbook: toPlaybook(`Take the last rollout of ${service} back`, [
          patchTask(
            'Put back what differs from the revision before',
            { apiVersion: 'apps/v1', kind, name, namespace: world.namespace },
            { spec: { template: undoPatch(template, previous) } },
          ),
          ...stranded.map((one) =>
            restartTask(`Start ${one.service} again, which ends at its start without it`, {
              apiVersion: 'apps/v1',
              kind: one.kind,
              name: one.name,
              namespace: world.namespace,
            }),
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
