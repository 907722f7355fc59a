/** Runbook for a faulty rollout: reverts its changes, and nothing else. */

import type { PodView } from '../observe/pods.ts'
import { listSymptomsOf } from '../observe/symptoms.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { patchTask, restartTask, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Focus, type Hypothesis, listCandidates } from '../runbook.ts'
import { listStores } from '../stores/stores.ts'
import { classifyChange } from '../template/classify-change.ts'
import { compareTemplates, type Difference, describeDifference } from '../template/template-difference.ts'
import { toUndoPatch } from '../template/undo-patch.ts'

/** A rollout of a service without symptoms may be harmless. */
const SCORES = { named: 0.97, withSymptoms: 0.92, withoutSymptoms: 0.7 } as const

const changesImage = ({ path }: Difference): boolean => path.at(-1) === 'image'

/** One or two probes may fail while a pod starts. */
const MIN_FAILED_PROBES = 3

/** Whether probes cannot connect to running pods. */
const isNotListening = async (world: World, pods: readonly PodView[]): Promise<boolean> => {
  const unready = pods.filter(({ isReady, phase }) => !isReady && phase === 'Running')
  if (unready.length === 0) return false
  const failures = (await world.events()).filter(
    ({ reason, object, message }) =>
      reason === 'Unhealthy' &&
      /refused|failed to connect|connect:/.test(message) &&
      unready.some(({ name }) => object === `Pod/${name}`),
  )
  return failures.reduce((sum, { count }) => sum + Math.max(1, count), 0) >= MIN_FAILED_PROBES
}

/** Lists unchanged workloads with crashing pods if `store` is a store: they probably need it at their start. */
const listCrashingReaders = async (world: World, store: WorkloadView): Promise<readonly WorkloadView[]> => {
  if (listStores([store]).length === 0) return []
  const crashing = (await world.pods()).filter(({ waitingReason = '' }) =>
    waitingReason.startsWith('CrashLoopBackOff'),
  )
  const services = new Set(crashing.map(({ service }) => service))
  if (services.size === 0) return []
  return (await world.workloads()).filter(
    (workload) => workload.previous === undefined && services.has(workload.service),
  )
}

const toHypotheses = async (
  world: World,
  focus: Focus,
  workload: WorkloadView & { readonly previous: NonNullable<WorkloadView['previous']> },
): Promise<readonly Hypothesis[]> => {
  const { service, name, kind, template, previous } = workload
  const differences = compareTemplates(template, previous)
  if (differences.length === 0) return []
  const pods = await world.podsOf(service)
  const hasNoListener = differences.some(changesImage) && (await isNotListening(world, pods))
  const { changedPart, layer, type } = classifyChange(differences, { pods, isNotListening: hasNoListener })
  const crashing = await listCrashingReaders(world, workload)
  const symptoms = focus.service === undefined ? await listSymptomsOf(world, service) : []
  const score =
    focus.service !== undefined
      ? SCORES.named
      : symptoms.length > 0
        ? SCORES.withSymptoms
        : SCORES.withoutSymptoms
  return [
    {
      runbook: 'rollout',
      services: [service],
      layer,
      type,
      score,
      mayBeTransient: false,
      claim: `The last rollout of ${service} changed ${changedPart}, which caused the fault.`,
      evidence: [
        ...differences
          .slice(0, 4)
          .map((difference) => `compared with the previous revision, ${describeDifference(difference)}`),
        ...symptoms,
      ],
      fix: {
        plan: `Revert the changes of the rollout of ${kind} ${name}, and keep the rest of its template.`,
        services: [service, ...crashing.map((candidate) => candidate.service)],
        playbook: toPlaybook(`Revert the last rollout of ${service}`, [
          patchTask(
            'Restore the fields of the previous revision',
            { apiVersion: 'apps/v1', kind, name, namespace: world.namespace },
            { spec: { template: toUndoPatch(template, previous) } },
          ),
          ...crashing.map((candidate) =>
            restartTask(`Restart ${candidate.service}, which crashes without it`, {
              apiVersion: 'apps/v1',
              kind: candidate.kind,
              name: candidate.name,
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
  async diagnose(world, focus) {
    const hypotheses: Hypothesis[] = []
    for (const workload of await listCandidates(world, focus)) {
      const { previous } = workload
      if (previous === undefined) continue
      hypotheses.push(...(await toHypotheses(world, focus, { ...workload, previous })))
    }
    return hypotheses
  },
})
