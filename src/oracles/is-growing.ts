/** Whether pods may still come by an autoscaler that the act has set, or changed, over a service that has too little to serve with. */
import { isGrowth } from './damage/additions.ts'
import type { EpisodeFacts } from './episode-view.ts'
import { isSameIntent } from './intent.ts'
import { permissionsOf } from './permissions.ts'
import { isWorkload } from './readiness.ts'

export const isGrowing = (view: EpisodeFacts): boolean => {
  const { now, injected } = view.objects
  const permissions = permissionsOf(view)
  const workloads = [...injected.values()].filter(isWorkload)
  return [...now].some(
    ([key, one]) =>
      workloads.some((workload) => isGrowth(workload, permissions, one)) &&
      !isSameIntent(one, injected.get(key)),
  )
}
