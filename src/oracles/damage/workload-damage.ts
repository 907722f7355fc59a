/** Damage to workloads: deleted or lowered even for a moment, or changed in what may not be changed. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject, Damage } from '../../spec/index.ts'
import type { EpisodeFacts } from '../episode-view.ts'
import { isGoing, toIntent } from '../intent.ts'
import { toObjectKey } from '../object-set.ts'
import type { Permissions } from '../permissions.ts'
import { isWorkload, replicasOf } from '../readiness.ts'
import { serviceOf, templateOf } from '../workload-template.ts'
import { autoscaledLeast } from './autoscaled.ts'
import { templateDamage } from './template-damage.ts'

/** No fewer than before the fault; an autoscaler may go down to its own least. */
const leastOf = (view: EpisodeFacts, baseline: ApiObject): number =>
  Math.min(replicasOf(baseline), autoscaledLeast(view, baseline) ?? Number.POSITIVE_INFINITY)

/** From one version to the next. */
const momentDamage = (view: EpisodeFacts, baseline: ApiObject): string[] => {
  const key = toObjectKey(baseline)
  const least = leastOf(view, baseline)
  const found = new Set<string>()
  for (const { change, object, before } of view.acts) {
    if (toObjectKey(object) !== key) continue
    if (change === 'deleted' || isGoing(object)) found.add('was deleted')
    else if (baseline.kind !== 'DaemonSet' && before !== undefined) {
      const [from, to] = [replicasOf(before), replicasOf(object)]
      if (to < from && to < least) found.add(`was lowered to ${to} replicas of ${replicasOf(baseline)}`)
    }
  }
  return [...found]
}

const toComparable = (workload: ApiObject, withReplicas: boolean): unknown => {
  const { spec, ...rest } = toIntent(workload) as { spec: Record<string, unknown> }
  const { replicas, ...other } = spec
  return { ...rest, spec: other, ...(withReplicas ? { replicas: replicas ?? 1 } : {}) }
}

/** Of a workload that may not be touched: it is as before the fault or as just after it. */
const foreignDamage = (view: EpisodeFacts, now: ApiObject, kept: readonly ApiObject[]): string[] => {
  const withReplicas = autoscaledLeast(view, now) === undefined
  const is = toComparable(now, withReplicas)
  if (kept.some((one) => isDeepStrictEqual(is, toComparable(one, withReplicas)))) return []
  const template = JSON.stringify(templateOf(now))
  const isTemplate = kept.every((one) => !isDeepStrictEqual(templateOf(one), JSON.parse(template)))
  return [`was changed${isTemplate ? ' in its pod template' : ''}, although nothing was wrong with it`]
}

const finalDamage = (view: EpisodeFacts, permissions: Permissions, baseline: ApiObject): string[] => {
  const key = toObjectKey(baseline)
  const [now, injected] = [view.objects.now.get(key), view.objects.injected.get(key)]
  // That it was deleted is told by the moment; where the fault did it, its cause is still there.
  if (now === undefined || injected === undefined) return []
  const service = serviceOf(baseline)
  const permission = permissions.services.get(service)
  if (permission === undefined) return foreignDamage(view, now, [baseline, injected])
  const replicas = baseline.kind === 'DaemonSet' ? 0 : replicasOf(now)
  const isTooFew = replicas < leastOf(view, baseline) && replicas !== replicasOf(injected)
  return [
    ...(isTooFew && baseline.kind !== 'DaemonSet'
      ? [`has ${replicas} replicas instead of ${replicasOf(baseline)}`]
      : []),
    ...templateDamage(view.system, service, permission, {
      now,
      baseline,
      injected,
      isAutoscaled: autoscaledLeast(view, baseline) !== undefined,
    }),
  ]
}

export const workloadDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] =>
  [...view.objects.baseline.values()].filter(isWorkload).flatMap((baseline) =>
    [...momentDamage(view, baseline), ...finalDamage(view, permissions, baseline)].map((what) => ({
      object: `${baseline.kind}/${baseline.metadata.name}`,
      what,
    })),
  )
