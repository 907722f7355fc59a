/** Finds workloads that were deleted or scaled down, even for a moment, or changed in parts that must stay. */
import { isDeepStrictEqual } from 'node:util'
import { resolveTemplate } from '#exam/effects'
import { cachePerObject, cachePerPair } from '#kit'
import { type ApiObject, type Damage, isTerminating, podTemplateOf, replicasOf } from '#spec'
import { toIntent } from '../objects/intent.ts'
import { isWorkload } from '../objects/readiness.ts'
import { serviceOf } from '../objects/service-of.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { toObjectKey, toObjectsView } from '../view/object-set.ts'
import { autoscalerMinimum } from './autoscaler-minimum.ts'
import { withoutCopiedVariables } from './copied-variables.ts'
import type { Versions } from './drift.ts'
import type { Permissions } from './permissions.ts'
import { templateDamage } from './template-damage.ts'

/** The number of replicas before the fault, or the minimum of the autoscaler if it is lower. */
const minReplicasOf = (view: EpisodeFacts, baseline: ApiObject): number =>
  Math.min(replicasOf(baseline), autoscalerMinimum(view, baseline) ?? Number.POSITIVE_INFINITY)

/** Compares each version with the previous one. `missingWorkloads` judges the deletion of workloads that may be recreated. */
const transientDamage = (view: EpisodeFacts, baseline: ApiObject, mayRecreate: boolean): string[] => {
  const key = toObjectKey(baseline)
  const minimum = minReplicasOf(view, baseline)
  const found = new Set<string>()
  for (const { change, object, before } of view.changes) {
    if (toObjectKey(object) !== key) continue
    if (change === 'deleted' || isTerminating(object)) {
      if (!mayRecreate) found.add('was deleted')
    } else if (baseline.kind !== 'DaemonSet' && before !== undefined) {
      const [from, to] = [replicasOf(before), replicasOf(object)]
      if (to < from && to < minimum) found.add(`was scaled down to ${to} of ${replicasOf(baseline)} replicas`)
    }
  }
  return [...found]
}

const withoutReplicas = cachePerObject((workload: ApiObject): object => {
  const { spec, ...rest } = toIntent(workload) as { spec: Record<string, unknown> }
  const { replicas: _, ...otherFields } = spec
  return { ...rest, spec: otherFields }
})

const isSameContent = cachePerPair((a, b) => isDeepStrictEqual(a, b))

/** A workload that must not be changed must equal its baseline or its state after the injection. */
const protectedWorkloadDamage = (
  view: EpisodeFacts,
  now: ApiObject,
  allowedStates: readonly ApiObject[],
): string[] => {
  const withReplicas = autoscalerMinimum(view, now) === undefined
  const isAllowed = (object: ApiObject): boolean =>
    (!withReplicas || replicasOf(now) === replicasOf(object)) &&
    isSameContent(withoutReplicas(now), withoutReplicas(object))
  if (allowedStates.some(isAllowed)) return []
  const isTemplateChanged = allowedStates.every(
    (object) => !isDeepStrictEqual(podTemplateOf(object), podTemplateOf(now)),
  )
  return [`was changed${isTemplateChanged ? ' in its pod template' : ''}, although nothing was wrong with it`]
}

/** The first version of the rules in which a repaired variable may be set in all containers of the pod. */
const RULES_WITH_COPIED_VARIABLES = 7

/** Replaces the names of ConfigMaps and Secrets with the values that pods read from them. */
const resolveAll = (
  { system, objects, rules }: EpisodeFacts,
  versions: Versions<ApiObject>,
): Versions<ApiObject> => {
  const resolve = (time: keyof Versions): ApiObject =>
    resolveTemplate(toObjectsView(objects[time], system.namespace), versions[time])
  const resolved = { now: resolve('now'), baseline: resolve('baseline'), injected: resolve('injected') }
  return rules < RULES_WITH_COPIED_VARIABLES
    ? resolved
    : { ...resolved, now: withoutCopiedVariables(resolved) }
}

const finalDamage = (view: EpisodeFacts, permissions: Permissions, baseline: ApiObject): string[] => {
  const key = toObjectKey(baseline)
  const [now, injected] = [view.objects.now.get(key), view.objects.injected.get(key)]
  // `transientDamage` reports a deletion by the solver; the oracle `cause-gone` judges one by the fault.
  if (now === undefined || injected === undefined) return []
  const service = serviceOf(baseline)
  const permission = permissions.services.get(service)
  if (permission === undefined) return protectedWorkloadDamage(view, now, [baseline, injected])
  const replicas = baseline.kind === 'DaemonSet' ? 0 : replicasOf(now)
  const hasTooFewReplicas = replicas < minReplicasOf(view, baseline) && replicas !== replicasOf(injected)
  return [
    ...(hasTooFewReplicas && baseline.kind !== 'DaemonSet'
      ? [`has ${replicas} replicas instead of ${replicasOf(baseline)}`]
      : []),
    ...templateDamage(view.system, service, permission, {
      ...resolveAll(view, { now, baseline, injected }),
      isAutoscaled: autoscalerMinimum(view, baseline) !== undefined,
      rules: view.rules,
    }),
  ]
}

export const workloadDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] =>
  [...view.objects.baseline.values()].filter(isWorkload).flatMap((baseline) => {
    const mayRecreate = permissions.services.get(serviceOf(baseline))?.mayRecreate === true
    return [...transientDamage(view, baseline, mayRecreate), ...finalDamage(view, permissions, baseline)].map(
      (what) => ({ object: `${baseline.kind}/${baseline.metadata.name}`, what }),
    )
  })

/** The first version of the rules in which workloads that a fault added must not be deleted. */
const RULES_WITH_WORK_OF_OTHERS = 5

/**
 * Workloads that a fault added and the solver deleted. They are the work of others: they can be changed, moved or scaled to
 * zero, while a deletion loses their definition.
 */
export const deletedWorkOfOthers = ({ objects, rules }: EpisodeFacts): Damage[] =>
  [...(rules < RULES_WITH_WORK_OF_OTHERS ? [] : objects.injected)].flatMap(([key, injected]) => {
    const now = objects.now.get(key)
    const isDeleted = now === undefined || isTerminating(now)
    return isWorkload(injected) && !objects.baseline.has(key) && isDeleted
      ? [{ object: `${injected.kind}/${injected.metadata.name}`, what: 'was deleted' }]
      : []
  })

/** Workloads that the solver deleted, may recreate, and has not recreated. */
export const missingWorkloads = (view: EpisodeFacts, permissions: Permissions): Damage[] =>
  [...view.objects.baseline].flatMap(([key, { kind, metadata }]) => {
    const [injected, now] = [view.objects.injected.get(key), view.objects.now.get(key)]
    if (injected === undefined || !isWorkload(injected) || (now !== undefined && !isTerminating(now)))
      return []
    const mayRecreate = permissions.services.get(serviceOf(injected))?.mayRecreate === true
    return mayRecreate ? [{ object: `${kind}/${metadata.name}`, what: 'was deleted' }] : []
  })
