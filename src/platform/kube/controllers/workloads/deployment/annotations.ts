/** The annotations on ReplicaSets of a Deployment: the revision, and the replica counts at the last scaling. */
import type { Deployment, ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import { desiredReplicas } from './rollout.ts'
import { limitsOf } from './rollout-limits.ts'

export const REVISION = 'deployment.kubernetes.io/revision'
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history'
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas'
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas'
const MAX_HISTORY_CHARACTERS = 2000

/** Annotations that are not copied from the Deployment to its ReplicaSets. */
const NOT_COPIED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
])

type Annotations = Record<string, string>

export const revisionOf = ({ metadata }: { metadata: { annotations?: Annotations } }): number =>
  Number.parseInt(metadata.annotations?.[REVISION] ?? '0', 10) || 0

export const numberAnnotation = (set: Stored<ReplicaSet>, key: string): number | undefined => {
  const text = set.metadata.annotations?.[key]
  return text === undefined ? undefined : Number.parseInt(text, 10)
}

/** Returns the annotations with the replica counts for which a ReplicaSet is scaled. */
export const replicaAnnotations = (deployment: Stored<Deployment>): Annotations => {
  const desired = desiredReplicas(deployment)
  return { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(desired + limitsOf(deployment).surge) }
}

/** Appends the current revision to the history; drops the oldest entries if it gets too long. */
const extendHistory = (annotations: Annotations): Annotations => {
  const current = annotations[REVISION]
  if (current === undefined) return {}
  const history = annotations[REVISION_HISTORY]
  const revisions = history === undefined || history === '' ? [current] : [...history.split(','), current]
  while (revisions.length > 1 && revisions.join(',').length > MAX_HISTORY_CHARACTERS) revisions.shift()
  return { [REVISION_HISTORY]: revisions.join(',') }
}

/** Returns the annotations of the new ReplicaSet at this revision. */
export const newSetAnnotations = (
  deployment: Stored<Deployment>,
  existing: Annotations | undefined,
  revision: number,
): Annotations => {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key))
  const annotations: Annotations = { ...existing, ...Object.fromEntries(copied) }
  const isOutdated = (Number.parseInt(annotations[REVISION] ?? '0', 10) || 0) < revision
  return {
    ...(existing === undefined ? replicaAnnotations(deployment) : {}),
    ...annotations,
    ...(isOutdated ? { ...extendHistory(annotations), [REVISION]: String(revision) } : {}),
  }
}
