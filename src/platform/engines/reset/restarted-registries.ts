/** Handles the restart of a service registry: services register only when they start, so all are recreated. */
import { type KubeObject, pods } from '#platform/kube/simulated'
import { type ClusterView, currentOf, isDirtyPod, isWorkload } from './cluster-view.ts'
import type { ObjectDifferences } from './differences.ts'

const appOf = ({ kind, metadata, spec }: KubeObject): string =>
  (kind === 'Pod' ? metadata.labels : spec?.template?.metadata?.labels)?.app ?? ''

/** Whether a registry has restarted or will be recreated, and so loses its registrations. */
export const isRegistryRestarted = (view: ClusterView, { missing, replaced }: ObjectDifferences): boolean => {
  if (view.registries.size === 0) return false
  const recreated = [...missing, ...replaced.map(({ baseline }) => baseline)].map(({ object }) => object)
  const dirty = (view.client.list(pods) as readonly KubeObject[]).filter((pod) => isDirtyPod(view, pod))
  return [...recreated, ...dirty].some((object) => view.registries.has(appOf(object)))
}

/** Adds all workloads to the replaced objects, so that every service registers again. */
export const withAllWorkloadsReplaced = (view: ClusterView, found: ObjectDifferences): ObjectDifferences => {
  const listed = new Set([...found.missing, ...found.replaced.map(({ baseline }) => baseline)])
  const others = [...view.baseline.objects.values()].flatMap((baseline) => {
    const current = currentOf(view.client, baseline)
    const isOther = isWorkload(baseline) && !listed.has(baseline)
    return isOther && current !== undefined ? [{ baseline, current }] : []
  })
  return {
    ...found,
    replaced: [...found.replaced, ...others],
    revertible: [],
    changed: found.changed.filter(({ baseline }) => !isWorkload(baseline)),
  }
}
