/** Damage to pods: those of services outside the fault are the same from the beginning of the act to its end. */
import type { ApiObject, Damage } from '../../spec/index.ts'
import type { EpisodeFacts } from '../episode-view.ts'
import { isGoing, isSameIntent } from '../intent.ts'
import type { Permissions } from '../permissions.ts'
import { isWorkload } from '../readiness.ts'
import { type Marks, serviceOf } from '../workload-template.ts'
import { autoscaledLeast } from './autoscaled.ts'
import { isIntervention } from './laboratory-damage.ts'

const appOf = ({ metadata }: ApiObject): string | undefined => (metadata.labels as Marks | undefined)?.app

const nodeOf = ({ spec }: ApiObject): string | undefined =>
  (spec as { nodeName?: string } | undefined)?.nodeName

/** Over, whoever takes it away. */
const isOver = ({ status }: ApiObject): boolean =>
  ['Succeeded', 'Failed'].includes(String((status as { phase?: string } | undefined)?.phase))

interface Owner {
  readonly kind: string
}

const ownersOf = ({ metadata }: ApiObject): readonly Owner[] => (metadata.ownerReferences ?? []) as Owner[]

const isFree = (view: EpisodeFacts, permissions: Permissions): ((pod: ApiObject) => boolean) => {
  const workloads = [...view.objects.baseline.values()].filter(isWorkload)
  const guarded = new Map(workloads.map((workload) => [serviceOf(workload), workload]))
  const scaled = new Set(
    view.acts
      .filter(({ object, before }) => isWorkload(object) && before !== undefined)
      .map(({ object }) => object.metadata.name),
  )
  return (pod) => {
    const service = appOf(pod)
    if (permissions.mayEmpty(nodeOf(pod)) || isOver(pod) || ownersOf(pod).some(({ kind }) => kind === 'Job'))
      return true
    if (service === undefined || !guarded.has(service)) return ownersOf(pod).length > 0
    const workload = guarded.get(service)!
    // An autoscaler that scaled has taken pods away by itself.
    if (autoscaledLeast(view, workload) !== undefined && scaled.has(workload.metadata.name)) return true
    return permissions.services.has(service)
  }
}

/** Whether the laboratory, taking a fault back that heals by itself, has replaced the pods of a workload it had changed. */
const isHealing = (view: EpisodeFacts, at: number, pod: ApiObject): boolean => {
  const { baseline, injected } = view.objects
  const key = [...baseline].find(([, one]) => isWorkload(one) && serviceOf(one) === appOf(pod))?.[0]
  return key !== undefined && !isSameIntent(baseline.get(key), injected.get(key)) && isIntervention(view, at)
}

export const podDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const free = isFree(view, permissions)
  const found = new Map<string, Damage>()
  for (const { at, change, object, before } of view.acts) {
    if (object.kind !== 'Pod') continue
    const pod = before ?? object
    const known = view.objects.injected.get(`Pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`)
    if (known?.metadata.uid !== pod.metadata.uid || isGoing(known!) || free(pod)) continue
    const isReplaced = object.metadata.uid !== pod.metadata.uid
    const name = `Pod/${pod.metadata.name}`
    if (change === 'deleted' || isGoing(object) || isReplaced) {
      if (!isHealing(view, at, pod))
        found.set(name, { object: name, what: 'was replaced, although nothing was wrong with it' })
    } else if (appOf(object) !== appOf(pod)) {
      found.set(name, { object: name, what: 'was taken from its service by another label' })
    }
  }
  return [...found.values()]
}
