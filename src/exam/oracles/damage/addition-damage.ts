/**
 * Finds objects that the solver added and did not remove, other than those that a correct fix may add. Excludes Jobs
 * and pods, which may still end.
 */
import { findDeniedCalls } from '#exam/effects'
import { type ApiObject, type Damage, isTerminating, podTemplateOf, viewAs } from '#spec'
import { isJobOrPod } from '../cause/added-work.ts'
import { isSameIntent } from '../objects/intent.ts'
import { isMadeByController } from '../objects/is-controlled.ts'
import { isEndpointsOfSelector, isMaintained } from '../objects/is-endpoints-of-selector.ts'
import { serviceOf } from '../objects/service-of.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { toObjectsView } from '../view/object-set.ts'
import { isAutoscalerOf } from './autoscaler-minimum.ts'
import type { Permissions } from './permissions.ts'
import { changeableWorkloads, isReadByRepairedWorkload, isToolRecord, refersTo } from './references.ts'

/** Whether the object is a claim of the workload: a StatefulSet that was scaled up has claims for its new pods. */
const isClaimOf = (workload: ApiObject, { kind, metadata }: ApiObject): boolean => {
  const { volumeClaimTemplates = [] } = viewAs('StatefulSet', workload).spec ?? {}
  return (
    kind === 'PersistentVolumeClaim' &&
    volumeClaimTemplates.some((template) =>
      metadata.name.startsWith(`${template.metadata?.name}-${workload.metadata.name}-`),
    )
  )
}

/** Whether the object is an autoscaler of a service that lacks capacity. */
const isPermittedAutoscaler = (workload: ApiObject, { services }: Permissions, object: ApiObject): boolean =>
  object.kind === 'HorizontalPodAutoscaler' &&
  services.get(serviceOf(workload))?.autoscaler === true &&
  isAutoscalerOf(object, workload)

/** Whether the fault added or changed an object of this kind. */
const isKindOfFault = ({ objects }: EpisodeFacts, kind: string): boolean =>
  [...objects.injected].some(
    ([key, object]) => object.kind === kind && !isSameIntent(object, objects.baseline.get(key)),
  )

/** Whether the object is a policy, the fault changed policies, and all policies together deny no call that was allowed before. */
const isCounterPolicy = (view: EpisodeFacts, { kind }: ApiObject): boolean => {
  if (kind !== 'NetworkPolicy' || !isKindOfFault(view, kind)) return false
  const { system, objects } = view
  const [before, now] = [objects.baseline, objects.now].map((set) => toObjectsView(set, system.namespace))
  return findDeniedCalls(system, before!, now!).length === 0
}

/** A new rule of these kinds may replace the rule of the fault: `cause-gone` judges all of them. */
const NAMESPACE_RULES: readonly string[] = ['ResourceQuota', 'LimitRange']

const isRuleOfFault = (view: EpisodeFacts, { kind }: ApiObject): boolean =>
  NAMESPACE_RULES.includes(kind) && isKindOfFault(view, kind)

const mayBeAdded = (view: EpisodeFacts, permissions: Permissions, object: ApiObject): boolean =>
  isCounterPolicy(view, object) ||
  isRuleOfFault(view, object) ||
  isToolRecord(view, object) ||
  isReadByRepairedWorkload(view, permissions, object) ||
  (object.kind === 'PersistentVolume' && viewAs('PersistentVolume', object).spec?.claimRef !== undefined) ||
  changeableWorkloads(view.objects.injected, permissions).some(
    (workload) =>
      refersTo(podTemplateOf(workload)?.spec, object) ||
      isClaimOf(workload, object) ||
      isPermittedAutoscaler(workload, permissions, object),
  )

export const toAddition = ({ kind, metadata }: ApiObject): Damage => ({
  object: `${kind}/${metadata.name}`,
  what: 'was added and not removed',
})

export const additionDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const { now, baseline, injected } = view.objects
  return (
    [...now]
      .filter(([key]) => !baseline.has(key) && !injected.has(key))
      .map(([, object]) => object)
      // Intermittent faults recreate chaos objects; `laboratoryDamage` judges those of the laboratory.
      .filter((object) => !object.apiVersion.startsWith('chaos-mesh.org/'))
      .filter((object) => !isTerminating(object) && !isMadeByController(view, object) && !isJobOrPod(object))
      .filter((object) => !isMaintained(object) && !isEndpointsOfSelector(object, (key) => now.get(key)))
      .filter((object) => !mayBeAdded(view, permissions, object))
      .map(toAddition)
  )
}
