/** Which pods may go or change: those of services that may be changed, and those that nobody guards. */
import type { ApiObject } from '../../spec/index.ts'
import type { EpisodeFacts } from '../episode-view.ts'
import { ownersOf } from '../is-controlled.ts'
import type { Permissions } from '../permissions.ts'
import { isWorkload } from '../readiness.ts'
import { type Marks, serviceOf } from '../workload-template.ts'
import { autoscaledLeast } from './autoscaled.ts'

/** The service that a pod is of. */
export const appOf = ({ metadata }: ApiObject): string | undefined =>
  (metadata.labels as Marks | undefined)?.app

const nodeOf = ({ spec }: ApiObject): string | undefined =>
  (spec as { nodeName?: string } | undefined)?.nodeName

/** Over, whoever takes it away. */
const isOver = ({ status }: ApiObject): boolean =>
  ['Succeeded', 'Failed'].includes(String((status as { phase?: string } | undefined)?.phase))

export const freePods = (view: EpisodeFacts, permissions: Permissions): ((pod: ApiObject) => boolean) => {
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
