/** What in a cluster is not as it was at the baseline. */
import { isDeepStrictEqual } from 'node:util'
import {
  type Client,
  deployments,
  jobs,
  type Kind,
  type KubeObject,
  namespaces,
  pods,
  replicaSets,
} from '../../../kube/index.ts'
import {
  type Baseline,
  type BaselineObject,
  decidedObjects,
  isControlled,
  keyOf,
  toBaselinePod,
} from './baseline.ts'
import { isSameBody, isSameMetadata } from './object-content.ts'
import { isPodReady } from './readiness.ts'
import type { TouchedPods } from './touched-pods.ts'

export interface Differences {
  /** Made since. Those inside a namespace that was made since go with it and are not listed. */
  readonly extra: readonly BaselineObject[]
  /** There, but to be made anew: the baseline's object and the one there now. */
  readonly replaced: readonly { baseline: BaselineObject; current: KubeObject }[]
  /** Deployments that were changed, and whose pods of the baseline all run on under this ReplicaSet. */
  readonly turned: readonly Turned[]
  readonly missing: readonly BaselineObject[]
  readonly changed: readonly { baseline: BaselineObject; current: KubeObject }[]
  /** Pods whose owners stay as they are. */
  readonly pods: readonly KubeObject[]
}

export interface Turned {
  readonly baseline: BaselineObject
  readonly current: KubeObject
  readonly kept: KubeObject
}

interface View {
  client: Client
  baseline: Baseline
  touched: TouchedPods
  /** `namespace/name` of the claims whose content has changed. */
  claims: ReadonlySet<string>
  /** Labels `app` of those who know of others only what these have told them when they started. */
  registries: ReadonlySet<string>
}

/** Their history and their pods must be as fresh as at the beginning. */
const WORKLOADS = new Set([
  'apps/deployments',
  'apps/statefulsets',
  'apps/daemonsets',
  'apps/replicasets',
  'batch/jobs',
  'batch/cronjobs',
  'replicationcontrollers',
])

const usesClaim = (pod: KubeObject, claims: ReadonlySet<string>): boolean =>
  (pod.spec.volumes ?? []).some(
    ({ persistentVolumeClaim }: { persistentVolumeClaim?: { claimName: string } }) =>
      persistentVolumeClaim !== undefined &&
      claims.has(`${pod.metadata.namespace}/${persistentVolumeClaim.claimName}`),
  )

const hasClaim = (podSpec: KubeObject['spec']): boolean =>
  (podSpec?.volumes ?? []).some(
    (volume: { persistentVolumeClaim?: unknown }) => volume.persistentVolumeClaim !== undefined,
  )

const isDirty = ({ baseline, touched }: View, pod: KubeObject): boolean => {
  const { uid, namespace = '', name } = pod.metadata
  const before = baseline.pods.get(uid)
  if (before === undefined || !isDeepStrictEqual(before, toBaselinePod(pod))) return true
  return touched.has(namespace, name) || (!isPodReady(pod) && pod.status.phase !== 'Succeeded')
}

/** The ReplicaSet that has the pods of the baseline, all of them, as they were; nothing where one is missing. */
const keptReplicaSet = (
  view: View,
  { kind, object }: BaselineObject,
  uid: string,
): KubeObject | undefined => {
  const wanted = object.spec.replicas ?? 1
  if (kind.id !== deployments.id || wanted === 0) return undefined
  return (view.client.ownedBy(replicaSets, uid) as readonly KubeObject[]).find((set) => {
    const own = view.client.ownedBy(pods, set.metadata.uid) as readonly KubeObject[]
    return own.length === wanted && own.every((pod) => !isDirty(view, pod))
  })
}

const appOf = ({ kind, metadata, spec }: KubeObject): string =>
  (kind === 'Pod' ? metadata.labels : spec?.template?.metadata?.labels)?.app ?? ''

type Found = Omit<Differences, 'pods'> & {
  readonly replaced: { baseline: BaselineObject; current: KubeObject }[]
}

/** Where a registry has forgotten everything, everybody has to tell it again: all workloads begin anew. */
const withAllWorkloads = (view: View, found: Found): Found => {
  const replaced = new Set([...found.missing, ...found.replaced.map(({ baseline }) => baseline)])
  const others = [...view.baseline.objects.values()].flatMap((baseline) => {
    const current = currentOf(view.client, baseline)
    const isLeft = WORKLOADS.has(baseline.kind.id) && !replaced.has(baseline)
    return isLeft && current !== undefined ? [{ baseline, current }] : []
  })
  return {
    ...found,
    replaced: [...found.replaced, ...others],
    turned: [],
    changed: found.changed.filter(({ baseline }) => !WORKLOADS.has(baseline.kind.id)),
  }
}

const hasLostRegistry = (view: View, { missing, replaced }: Found): boolean => {
  const gone = [...missing, ...replaced.map(({ baseline }) => baseline)].map(({ object }) => object)
  const dirty = (view.client.list(pods) as readonly KubeObject[]).filter((pod) => isDirty(view, pod))
  return view.registries.size > 0 && [...gone, ...dirty].some((object) => view.registries.has(appOf(object)))
}

/** The uids of those who, over one another, control the pod. */
const controllersOf = (client: Client, object: KubeObject): string[] => {
  const reference = object.metadata.ownerReferences?.find(({ controller }) => controller === true)
  const kind = reference && client.kindOf(reference.apiVersion, reference.kind)
  const owner = kind && client.get(kind, object.metadata.namespace ?? '', reference!.name)
  if (owner === undefined || owner.metadata.uid !== reference!.uid) return []
  return [owner.metadata.uid, ...controllersOf(client, owner as KubeObject)]
}

const currentOf = (client: Client, { kind, object }: BaselineObject): KubeObject | undefined => {
  // The kinds of definitions are made anew when the definition changes.
  const now: Kind | undefined = client.kinds().find(({ id }) => id === kind.id)
  return (
    now && (client.get(now, object.metadata.namespace ?? '', object.metadata.name) as KubeObject | undefined)
  )
}

/** Whether a workload, or a pod, keeps what it writes in a volume of a claim. */
const keepsData = ({ object: { kind, spec } }: BaselineObject): boolean =>
  spec?.volumeClaimTemplates !== undefined || hasClaim(kind === 'Pod' ? spec : spec?.template?.spec)

/**
 * Whether nothing can have come near the volumes but what users do: all that runs is of the baseline's workloads, and
 * pods that keep something are the same as then. With trust only workloads count that keep something themselves.
 */
export const onlyUsersWrote = (view: View, isTrusted: boolean): boolean => {
  const { client, touched } = view
  const { extra, replaced, turned, missing } = findDifferences(view)
  const isRunning = ({ kind }: BaselineObject): boolean => WORKLOADS.has(kind.id) || kind.id === pods.id
  const isData = ({ kind }: BaselineObject): boolean => kind.id.startsWith('persistentvolume')
  const all = [...extra, ...missing, ...[...replaced, ...turned].map(({ baseline }) => baseline)]
  const isNear = (entry: BaselineObject): boolean =>
    isData(entry) || (isRunning(entry) && (!isTrusted || keepsData(entry)))
  if (touched.isReached() || all.some(isNear)) return false
  return (client.list(pods) as readonly KubeObject[]).every(
    (pod) => !hasClaim(pod.spec) || !isDirty(view, pod),
  )
}

/** Objects that say who may do what: nothing that runs looks at them. */
const isOfAccess = ({ kind }: BaselineObject): boolean =>
  kind.id === namespaces.id || kind.id === 'serviceaccounts' || kind.group === 'rbac.authorization.k8s.io'

const isNew = ({ baseline, touched }: View, { metadata, status }: KubeObject): boolean =>
  !baseline.pods.has(metadata.uid) &&
  metadata.deletionTimestamp === undefined &&
  !touched.has(metadata.namespace ?? '', metadata.name) &&
  (status.phase === 'Pending' || status.phase === 'Running') &&
  (status.containerStatuses ?? []).every(({ restartCount }: { restartCount: number }) => restartCount === 0)

/** Leaves pods alone that are as good as the first ones, where nothing but pods has changed. */
export const withoutNewPods = (view: View, found: Differences): Differences => {
  const { extra, replaced, turned, missing, changed } = found
  const isElse = [replaced, turned, missing, changed].some((list) => list.length > 0)
  if (isElse || !extra.every(isOfAccess)) return found
  return { ...found, pods: found.pods.filter((pod) => !isNew(view, pod)) }
}

export const findDifferences = (view: View): Differences => {
  const { client, baseline, claims } = view
  const all = client.list(pods) as readonly KubeObject[]
  const withOtherContent = new Set(
    all.filter((pod) => usesClaim(pod, claims)).flatMap((pod) => controllersOf(client, pod)),
  )
  let result = {
    extra: [] as BaselineObject[],
    replaced: [] as { baseline: BaselineObject; current: KubeObject }[],
    turned: [] as Turned[],
    missing: [] as BaselineObject[],
    changed: [] as { baseline: BaselineObject; current: KubeObject }[],
  }
  const leaving = new Set(
    client
      .list(namespaces)
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => metadata.name),
  )
  for (const entry of baseline.objects.values()) {
    // What is still there of a namespace that goes will go with it.
    const current = leaving.has(entry.object.metadata.namespace ?? '') ? undefined : currentOf(client, entry)
    const isWorkload = WORKLOADS.has(entry.kind.id)
    const isPod = entry.kind.id === pods.id
    const isOther = isWorkload && current !== undefined && !isSameBody(entry.object, current)
    const kept =
      isOther &&
      current.metadata.deletionTimestamp === undefined &&
      !withOtherContent.has(current.metadata.uid)
        ? keptReplicaSet(view, entry, current.metadata.uid)
        : undefined
    if (current === undefined) result.missing.push(entry)
    else if (kept !== undefined) result.turned.push({ baseline: entry, current, kept })
    else if (
      current.metadata.deletionTimestamp !== undefined ||
      (isWorkload && (isOther || withOtherContent.has(current.metadata.uid))) ||
      (isPod && (isDirty(view, current) || usesClaim(current, claims)))
    )
      result.replaced.push({ baseline: entry, current })
    else if (!isPod && !(isSameBody(entry.object, current) && isSameMetadata(entry.object, current)))
      result.changed.push({ baseline: entry, current })
  }
  if (hasLostRegistry(view, result)) result = withAllWorkloads(view, result) as typeof result
  const isFromBefore = (namespace: string): boolean =>
    namespace === '' || baseline.objects.has(`${namespaces.id} /${namespace}`)
  for (const entry of decidedObjects(client))
    if (
      !baseline.objects.has(keyOf(entry.kind, entry.object)) &&
      isFromBefore(entry.object.metadata.namespace ?? '')
    )
      result.extra.push(entry)
  const goesAnyway = new Set(
    [...result.replaced.map(({ current }) => current), ...result.extra.map(({ object }) => object)].map(
      ({ metadata }) => metadata.uid,
    ),
  )
  for (const { current, kept } of result.turned)
    for (const { metadata } of client.ownedBy(replicaSets, current.metadata.uid))
      if (metadata.uid !== kept.metadata.uid) goesAnyway.add(metadata.uid)
  const isForItself = (object: KubeObject): boolean =>
    isControlled(client, object) &&
    isFromBefore(object.metadata.namespace ?? '') &&
    !controllersOf(client, object).some((uid) => goesAnyway.has(uid))
  // CronJobs go on making them.
  for (const job of client.list(jobs) as readonly KubeObject[])
    if (!baseline.jobs.has(job.metadata.uid) && isForItself(job)) {
      result.extra.push({ kind: jobs, object: job })
      goesAnyway.add(job.metadata.uid)
    }
  return { ...result, pods: all.filter((pod) => isForItself(pod) && isDirty(view, pod)) }
}
