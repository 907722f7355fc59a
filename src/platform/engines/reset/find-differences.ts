/** Finds the differences between a cluster and its baseline. */
import {
  type Client,
  controllerRevisions,
  deployments,
  jobs,
  type Kind,
  type KubeObject,
  namespaces,
  pods,
  replicaSets,
} from '#platform/kube/simulated'
import { type BaselineObject, isControlled, keyOf, listDeclaredObjects } from './baseline.ts'
import {
  type ClusterView,
  controllersOf,
  currentOf,
  isDirtyPod,
  isWorkload,
  usesChangedClaim,
} from './cluster-view.ts'
import type { ChangedObject, Differences, ObjectDifferences, RevertibleDeployment } from './differences.ts'
import { isSameBody, isSameMetadata } from './object-content.ts'
import { isRegistryRestarted, withAllWorkloadsReplaced } from './restarted-registries.ts'

const isTerminating = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined

/** Finds a ReplicaSet that still has all its pods of the baseline unchanged; undefined if there is none. */
const findKeptReplicaSet = (
  view: ClusterView,
  { kind, object }: BaselineObject,
  uid: string,
): KubeObject | undefined => {
  const desired = object.spec.replicas ?? 1
  if (kind.id !== deployments.id || desired === 0) return undefined
  return (view.client.ownedBy(replicaSets, uid) as readonly KubeObject[]).find((replicaSet) => {
    const ownPods = view.client.ownedBy(pods, replicaSet.metadata.uid) as readonly KubeObject[]
    return ownPods.length === desired && ownPods.every((pod) => !isDirtyPod(view, pod))
  })
}

/** Uids of the workloads whose pods use a claim with changed content. */
const findWorkloadsWithChangedClaims = (view: ClusterView): ReadonlySet<string> =>
  new Set(
    (view.client.list(pods) as readonly KubeObject[])
      .filter((pod) => usesChangedClaim(view, pod))
      .flatMap((pod) => controllersOf(view.client, pod)),
  )

const listTerminatingNamespaces = (client: Client): ReadonlySet<string> =>
  new Set(
    (client.list(namespaces) as readonly KubeObject[])
      .filter(isTerminating)
      .map(({ metadata }) => metadata.name),
  )

type ObjectState = 'same' | 'changed' | 'replaced' | { readonly kept: KubeObject }

const compareObject = (
  view: ClusterView,
  entry: BaselineObject,
  current: KubeObject,
  hasChangedClaim: boolean,
): ObjectState => {
  if (isTerminating(current)) return 'replaced'
  const isSame = isSameBody(entry.object, current)
  if (isWorkload(entry)) {
    if (hasChangedClaim) return 'replaced'
    if (!isSame) {
      const kept = findKeptReplicaSet(view, entry, current.metadata.uid)
      return kept === undefined ? 'replaced' : { kept }
    }
  }
  if (entry.kind.id === pods.id)
    return isDirtyPod(view, current) || usesChangedClaim(view, current) ? 'replaced' : 'same'
  return isSame && isSameMetadata(entry.object, current) ? 'same' : 'changed'
}

const compareObjects = (view: ClusterView): ObjectDifferences => {
  const { client, baseline } = view
  const withChangedClaims = findWorkloadsWithChangedClaims(view)
  const terminating = listTerminatingNamespaces(client)
  const found = {
    replaced: [] as ChangedObject[],
    revertible: [] as RevertibleDeployment[],
    missing: [] as BaselineObject[],
    changed: [] as ChangedObject[],
  }
  for (const entry of baseline.objects.values()) {
    // Objects in a terminating namespace will be deleted with it.
    const isInTerminatingNamespace = terminating.has(entry.object.metadata.namespace ?? '')
    const current = isInTerminatingNamespace ? undefined : currentOf(client, entry)
    if (current === undefined) {
      found.missing.push(entry)
      continue
    }
    const state = compareObject(view, entry, current, withChangedClaims.has(current.metadata.uid))
    if (typeof state === 'object') found.revertible.push({ baseline: entry, current, kept: state.kept })
    else if (state !== 'same') found[state].push({ baseline: entry, current })
  }
  return found
}

const isInBaselineNamespace = ({ baseline }: ClusterView, { metadata }: KubeObject): boolean =>
  (metadata.namespace ?? '') === '' || baseline.objects.has(`${namespaces.id} /${metadata.namespace}`)

/** Uids of the objects that are deleted, and of the ReplicaSets that a reverted Deployment loses. */
const listDeletedUids = (
  client: Client,
  { replaced, revertible }: ObjectDifferences,
  extra: readonly BaselineObject[],
): Set<string> => {
  const objects = [...replaced.map(({ current }) => current), ...extra.map(({ object }) => object)]
  const lostSets = revertible.flatMap(({ current, kept }) =>
    client
      .ownedBy(replicaSets, current.metadata.uid)
      .map(({ metadata }) => metadata.uid)
      .filter((uid) => uid !== kept.metadata.uid),
  )
  return new Set([...objects.map(({ metadata }) => metadata.uid), ...lostSets])
}

const REVISION_KINDS: readonly Kind[] = [replicaSets, controllerRevisions]

/** Lists new ReplicaSets and ControllerRevisions: copies of changed workloads, or forgeries by an agent. */
const listNewRevisions = ({ client, baseline }: ClusterView): BaselineObject[] =>
  REVISION_KINDS.flatMap((kind) =>
    (client.list(kind) as readonly KubeObject[])
      .filter((object) => baseline.states.get(keyOf(kind, object))?.metadata.uid !== object.metadata.uid)
      .map((object) => ({ kind, object })),
  )

export const findDifferences = (view: ClusterView): Differences => {
  const { client, baseline } = view
  const compared = compareObjects(view)
  const found = isRegistryRestarted(view, compared) ? withAllWorkloadsReplaced(view, compared) : compared
  const extra = listDeclaredObjects(client).filter(
    ({ kind, object }) => !baseline.objects.has(keyOf(kind, object)) && isInBaselineNamespace(view, object),
  )
  const deleted = listDeletedUids(client, found, extra)
  const hasRemainingOwner = (object: KubeObject): boolean =>
    isControlled(client, object) &&
    isInBaselineNamespace(view, object) &&
    !controllersOf(client, object).some((uid) => deleted.has(uid))
  // CronJobs have started these Jobs after the baseline.
  const newJobs = (client.list(jobs) as readonly KubeObject[]).filter(
    (job) => !baseline.jobs.has(job.metadata.uid) && hasRemainingOwner(job),
  )
  for (const job of newJobs) deleted.add(job.metadata.uid)
  const newRevisions = listNewRevisions(view).filter(
    ({ object }) => hasRemainingOwner(object) && !deleted.has(object.metadata.uid),
  )
  for (const { object } of newRevisions) deleted.add(object.metadata.uid)
  const dirtyPods = (client.list(pods) as readonly KubeObject[]).filter(
    (pod) => hasRemainingOwner(pod) && isDirtyPod(view, pod),
  )
  return {
    ...found,
    extra: [...extra, ...newJobs.map((object) => ({ kind: jobs, object })), ...newRevisions],
    pods: dirtyPods,
  }
}
