/** A rule of the namespace refuses new pods: a quota that is spent, or a limit range below what the pods ask for. */
import { type ApiObject, quantityValue } from '../../../spec/index.ts'
import { type Labels, specOf, statusOf } from '../observe/kube-shapes.ts'
import type { WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { patchTask, restartTask, type Task, toPlaybook } from '../playbook.ts'
import { candidates, defineRunbook, type Hypothesis } from '../runbook.ts'

/** Room for rollouts, during which a workload has more pods than it wants. */
const HEADROOM = 10

/** What was said when a pod of the workload was refused. */
const refusalOf = async (
  world: World,
  { name, service, refused }: WorkloadView,
): Promise<string | undefined> => {
  if (refused !== undefined && /forbidden/.test(refused)) return refused
  const events = await world.events()
  return events.find(
    ({ reason, object, service: of, message }) =>
      reason === 'FailedCreate' &&
      /forbidden/.test(message) &&
      (of === service || object.includes(`/${name}-`) || object.endsWith(`/${name}`)),
  )?.message
}

interface Mend {
  readonly claim: string
  readonly task: Task
}

const named = (world: World, object: ApiObject) => ({
  apiVersion: 'v1',
  kind: object.kind,
  name: object.metadata.name,
  namespace: world.namespace,
})

const mendQuota = (world: World, quota: ApiObject): Mend => {
  const { hard = {} } = specOf<{ hard?: Labels }>(quota)
  const raised = Object.fromEntries(
    Object.entries(hard)
      .filter(([name]) => name === 'pods' || name === 'count/pods')
      .map(([name, most]) => [name, String((quantityValue(most) ?? 0) + HEADROOM)]),
  )
  const { name } = quota.metadata
  return {
    claim: `The ResourceQuota ${name} allows fewer pods than the system needs.`,
    task: patchTask('Raise the quota, with room for rollouts', named(world, quota), {
      spec: { hard: raised },
    }),
  }
}

interface Bound {
  readonly type: string
  readonly max?: Labels
}

/** The most that any container asks for, so that the rule stands in nobody's way and still is one. */
const mostAsked = (workloads: readonly WorkloadView[], resource: string): string | undefined =>
  workloads
    .flatMap(({ template }) => template.spec.containers.map(({ resources }) => resources?.limits?.[resource]))
    .filter((limit) => limit !== undefined)
    .sort((one, other) => (quantityValue(other) ?? 0) - (quantityValue(one) ?? 0))[0]

const mendLimits = (world: World, range: ApiObject, workloads: readonly WorkloadView[]): Mend => {
  const { limits = [] } = specOf<{ limits?: readonly Bound[] }>(range)
  const raise = ([resource, most]: [string, string]): [string, string] => {
    const asked = mostAsked(workloads, resource)
    return [resource, (quantityValue(asked) ?? 0) > (quantityValue(most) ?? 0) ? asked! : most]
  }
  const raised = limits.map((bound) =>
    bound.max === undefined || bound.type !== 'Container'
      ? bound
      : { ...bound, max: Object.fromEntries(Object.entries(bound.max).map(raise)) },
  )
  const { name } = range.metadata
  return {
    claim: `The LimitRange ${name} allows containers less than they have always had.`,
    task: patchTask('Raise the bound to what the largest container may use', named(world, range), {
      spec: { limits: raised },
    }),
  }
}

/** Leaves no room for one pod more. */
const isSpent = (quota: ApiObject): boolean => {
  const { hard = {} } = specOf<{ hard?: Labels }>(quota)
  const { used = {} } = statusOf<{ used?: Labels }>(quota)
  return hard.pods !== undefined && (quantityValue(used.pods) ?? 0) >= (quantityValue(hard.pods) ?? 0)
}

/** Allows less than the containers of the workload ask for. */
const isTooTight = (range: ApiObject, { template }: WorkloadView): boolean =>
  (specOf<{ limits?: readonly Bound[] }>(range).limits ?? []).some(({ type, max = {} }) =>
    Object.entries(max).some(
      ([resource, most]) =>
        type === 'Container' &&
        template.spec.containers.some(
          ({ resources }) => (quantityValue(resources?.limits?.[resource]) ?? 0) > (quantityValue(most) ?? 0),
        ),
    ),
  )

/** By what was said, or else by what the rules are. */
const mendFor = async (world: World, workload: WorkloadView, refusal = ''): Promise<Mend | undefined> => {
  const named = /exceeded quota: ([\w.-]+)/.exec(refusal)?.[1]
  const quotas = await world.objects('ResourceQuota')
  const quota = quotas.find((one) => (named === undefined ? isSpent(one) : one.metadata.name === named))
  if (quota !== undefined) return mendQuota(world, quota)
  const range = (await world.objects('LimitRange')).find((one) => isTooTight(one, workload))
  return range === undefined ? undefined : mendLimits(world, range, await world.workloads())
}

export const refusedPods = defineRunbook({
  name: 'refused-pods',
  about: 'a quota or a limit range by which pods are not let in',
  categories: ['pod-fail'],
  async look(world, focus) {
    const found: Hypothesis[] = []
    for (const workload of await candidates(world, focus)) {
      const { replicas, ready, service, kind, name } = workload
      // Pods that are there were let in.
      if (ready >= replicas || (await world.podsOf(service)).length >= replicas) continue
      const refusal = await refusalOf(world, workload)
      const mend = await mendFor(world, workload, refusal)
      if (mend === undefined) continue
      found.push({
        ...({ runbook: 'refused-pods', layer: 'virtualisation', type: 'misconfiguration' } as const),
        services: [service],
        score: 0.96,
        mayPass: false,
        claim: mend.claim,
        evidence: [
          `${kind} ${name} has ${ready} of ${replicas} pods, and none is on its way`,
          ...(refusal === undefined ? [] : [`the API says: ${refusal}`]),
        ],
        fix: {
          plan: 'Mend the rule, and start the rollout anew rather than wait until the controller tries again.',
          services: [service],
          playbook: toPlaybook(`Let ${service} have its pods again`, [
            mend.task,
            restartTask('Start the rollout anew', {
              apiVersion: 'apps/v1',
              kind,
              name,
              namespace: world.namespace,
            }),
          ]),
        },
      })
    }
    return found
  },
})
