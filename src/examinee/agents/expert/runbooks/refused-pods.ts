/** Runbook for rejected pods: raises an exhausted quota, or a limit range that is below the limits of the pods. */
import { type ApiObject, quantityValue, viewAs } from '#spec'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { patchTask, restartTask, type Task, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis, listCandidates } from '../runbook.ts'

/** Additional pods for rollouts, during which a workload has more pods than desired. */
const EXTRA_PODS = 10

/** Returns the message with which a pod of the workload was rejected. */
const findRefusal = async (
  world: World,
  { name, service, creationFailure }: WorkloadView,
): Promise<string | undefined> => {
  if (creationFailure !== undefined && /forbidden/.test(creationFailure)) return creationFailure
  const events = await world.events()
  return events.find(
    ({ reason, object, service: eventService, message }) =>
      reason === 'FailedCreate' &&
      /forbidden/.test(message) &&
      (eventService === service || object.includes(`/${name}-`) || object.endsWith(`/${name}`)),
  )?.message
}

interface RuleRepair {
  readonly claim: string
  readonly task: Task
}

const toRef = (world: World, object: ApiObject) => ({
  apiVersion: 'v1',
  kind: object.kind,
  name: object.metadata.name,
  namespace: world.namespace,
})

const repairQuota = (world: World, quota: ApiObject): RuleRepair => {
  const hard = viewAs('ResourceQuota', quota).spec?.hard ?? {}
  const raised = Object.fromEntries(
    Object.entries(hard)
      .filter(([name]) => name === 'pods' || name === 'count/pods')
      .map(([name, limit]) => [name, String((quantityValue(limit) ?? 0) + EXTRA_PODS)]),
  )
  const { name } = quota.metadata
  return {
    claim: `The ResourceQuota ${name} allows fewer pods than the system needs.`,
    task: patchTask('Raise the quota, with additional pods for rollouts', toRef(world, quota), {
      spec: { hard: raised },
    }),
  }
}

/** Returns the largest limit of any container. */
const findLargestLimit = (workloads: readonly WorkloadView[], resource: string): string | undefined =>
  workloads
    .flatMap(({ template }) => template.spec.containers.map(({ resources }) => resources?.limits?.[resource]))
    .filter((limit) => limit !== undefined)
    .sort((a, b) => (quantityValue(b) ?? 0) - (quantityValue(a) ?? 0))[0]

const repairLimits = (world: World, range: ApiObject, workloads: readonly WorkloadView[]): RuleRepair => {
  const limits = viewAs('LimitRange', range).spec?.limits ?? []
  const raise = ([resource, limit]: [string, string]): [string, string] => {
    const largestLimit = findLargestLimit(workloads, resource)
    return [
      resource,
      (quantityValue(largestLimit) ?? 0) > (quantityValue(limit) ?? 0) ? largestLimit! : limit,
    ]
  }
  const raised = limits.map((bound) =>
    bound.max === undefined || bound.type !== 'Container'
      ? bound
      : { ...bound, max: Object.fromEntries(Object.entries(bound.max).map(raise)) },
  )
  const { name } = range.metadata
  return {
    claim: `The maximum of the LimitRange ${name} is lower than the limits of existing containers.`,
    task: patchTask('Raise the maximum to the limit of the largest container', toRef(world, range), {
      spec: { limits: raised },
    }),
  }
}

/** Whether the quota allows no further pod. */
const isExhausted = (quota: ApiObject): boolean => {
  const { spec, status } = viewAs('ResourceQuota', quota)
  const [hard = {}, used = {}] = [spec?.hard, status?.used]
  return hard.pods !== undefined && (quantityValue(used.pods) ?? 0) >= (quantityValue(hard.pods) ?? 0)
}

/** Whether a maximum of the range is lower than a limit of the workload. */
const isTooLow = (range: ApiObject, { template }: WorkloadView): boolean =>
  (viewAs('LimitRange', range).spec?.limits ?? []).some(({ type, max = {} }) =>
    Object.entries(max).some(
      ([resource, limit]) =>
        type === 'Container' &&
        template.spec.containers.some(
          ({ resources }) =>
            (quantityValue(resources?.limits?.[resource]) ?? 0) > (quantityValue(limit) ?? 0),
        ),
    ),
  )

/** Returns the repair of the rule that rejects pods. The rule is found by the message, or else by its values. */
const findRepair = async (
  world: World,
  workload: WorkloadView,
  refusal = '',
): Promise<RuleRepair | undefined> => {
  const quotaName = /exceeded quota: ([\w.-]+)/.exec(refusal)?.[1]
  const quotas = await world.objects('ResourceQuota')
  const quota = quotas.find((object) =>
    quotaName === undefined ? isExhausted(object) : object.metadata.name === quotaName,
  )
  if (quota !== undefined) return repairQuota(world, quota)
  const range = (await world.objects('LimitRange')).find((object) => isTooLow(object, workload))
  return range === undefined ? undefined : repairLimits(world, range, await world.workloads())
}

export const refusedPods = defineRunbook({
  name: 'refused-pods',
  about: 'a quota or a limit range that rejects pods',
  categories: ['pod-fail'],
  async diagnose(world, focus) {
    const hypotheses: Hypothesis[] = []
    for (const workload of await listCandidates(world, focus)) {
      const { replicas, ready, service, kind, name } = workload
      // If all pods exist, none was rejected.
      if (ready >= replicas || (await world.podsOf(service)).length >= replicas) continue
      const refusal = await findRefusal(world, workload)
      const repair = await findRepair(world, workload, refusal)
      if (repair === undefined) continue
      hypotheses.push({
        ...({ runbook: 'refused-pods', layer: 'virtualisation', type: 'misconfiguration' } as const),
        services: [service],
        score: 0.96,
        mayBeTransient: false,
        claim: repair.claim,
        evidence: [
          `${kind} ${name} has ${ready} of ${replicas} pods ready, and no pod is being created`,
          ...(refusal === undefined ? [] : [`the API server reports: ${refusal}`]),
        ],
        fix: {
          plan: 'Correct the rule, and restart the rollout, because the controller would wait before it retries.',
          services: [service],
          playbook: toPlaybook(`Admit the pods of ${service}`, [
            repair.task,
            restartTask('Restart the rollout', {
              apiVersion: 'apps/v1',
              kind,
              name,
              namespace: world.namespace,
            }),
          ]),
        },
      })
    }
    return hypotheses
  },
})
