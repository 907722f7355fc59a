/** Decides what a reset may keep: data of claims, and pods that were recreated. */
import { type KubeObject, namespaces, pods } from '#platform/kube/simulated'
import type { BaselineObject } from './baseline.ts'
import { type ClusterView, hasClaim, isDirtyPod, isWorkload } from './cluster-view.ts'
import type { Differences } from './differences.ts'
import { findDifferences } from './find-differences.ts'

/** Whether a workload or a pod stores data in a claim. */
const storesData = ({ object: { kind, spec } }: BaselineObject): boolean =>
  spec?.volumeClaimTemplates !== undefined || hasClaim(kind === 'Pod' ? spec : spec?.template?.spec)

/**
 * Whether only users can have changed the data in stores and claims: all workloads are those of the baseline, pods with claims are
 * unchanged, and nobody has started other programs, not even ones that are gone. With `isTrusted`, changes of workloads without
 * claims and other programs are accepted.
 */
export const isDataUntouched = (view: ClusterView, isTrusted: boolean): boolean => {
  const { client, touched } = view
  const { extra, replaced, revertible, missing } = findDifferences(view)
  const isVolume = ({ kind }: BaselineObject): boolean => kind.id.startsWith('persistentvolume')
  const runsCode = (entry: BaselineObject): boolean => isWorkload(entry) || entry.kind.id === pods.id
  const affectsData = (entry: BaselineObject): boolean =>
    isVolume(entry) || (runsCode(entry) && (!isTrusted || storesData(entry)))
  const differing = [...extra, ...missing, ...[...replaced, ...revertible].map(({ baseline }) => baseline)]
  if (touched.wasAccessed() || (!isTrusted && touched.mayHaveRunPrograms())) return false
  if (differing.some(affectsData)) return false
  return (client.list(pods) as readonly KubeObject[]).every(
    (pod) => !hasClaim(pod.spec) || !isDirtyPod(view, pod),
  )
}

/** Whether the object only grants permissions and does not affect what runs. */
const isAccessControl = ({ kind }: BaselineObject): boolean =>
  kind.id === namespaces.id || kind.id === 'serviceaccounts' || kind.group === 'rbac.authorization.k8s.io'

/** Whether the pod was created after the baseline, and has neither restarted nor been accessed. */
const isFreshPod = ({ baseline, touched }: ClusterView, { metadata, status }: KubeObject): boolean =>
  !baseline.pods.has(metadata.uid) &&
  metadata.deletionTimestamp === undefined &&
  !touched.has(metadata.namespace ?? '', metadata.name) &&
  (status.phase === 'Pending' || status.phase === 'Running') &&
  (status.containerStatuses ?? []).every(({ restartCount }: { restartCount: number }) => restartCount === 0)

/** Keeps fresh pods if only pods and access control have changed. */
export const keepFreshPods = (view: ClusterView, found: Differences): Differences => {
  const { extra, replaced, revertible, missing, changed } = found
  const hasOtherChanges = [replaced, revertible, missing, changed].some((list) => list.length > 0)
  if (hasOtherChanges || !extra.every(isAccessControl)) return found
  return { ...found, pods: found.pods.filter((pod) => !isFreshPod(view, pod)) }
}
