/** The notes that a Deployment keeps on its ReplicaSets: revision, and the numbers at the time of the last scaling. */
import type { Deployment, ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Stored } from '../../meta/index.ts'
import { desiredReplicas, limitsOf } from './rollout.ts'

export const REVISION = 'deployment.kubernetes.io/revision'
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history'
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas'
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas'
const HISTORY_LENGTH = 2000

/** These belong to one object and are not handed on. */
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

export const numberNote = (set: Stored<ReplicaSet>, key: string): number | undefined => {
  const text = set.metadata.annotations?.[key]
  return text === undefined ? undefined : Number.parseInt(text, 10)
}

/** The numbers that the ReplicaSet was last scaled for. */
export const replicaNotes = (deployment: Stored<Deployment>): Annotations => {
  const desired = desiredReplicas(deployment)
  return { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(desired + limitsOf(deployment).surge) }
}

/** The revision that `notes` had joins its history, the oldest of which are dropped when it grows too long. */
const rememberRevision = (notes: Annotations): Annotations => {
  const past = notes[REVISION]
  if (past === undefined) return {}
  const known = notes[REVISION_HISTORY]
  const all = known === undefined || known === '' ? [past] : [...known.split(','), past]
  while (all.length > 1 && all.join(',').length > HISTORY_LENGTH) all.shift()
  return { [REVISION_HISTORY]: all.join(',') }
}

/** What the new ReplicaSet's annotations must be at this revision. */
export const newSetNotes = (
  deployment: Stored<Deployment>,
  existing: Annotations | undefined,
  revision: number,
): Annotations => {
  const handedOn = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key]) => !NOT_COPIED.has(key),
  )
  const notes: Annotations = { ...existing, ...Object.fromEntries(handedOn) }
  const behind = (Number.parseInt(notes[REVISION] ?? '0', 10) || 0) < revision
  return {
    ...(existing === undefined ? replicaNotes(deployment) : {}),
    ...notes,
    ...(behind ? { ...rememberRevision(notes), [REVISION]: String(revision) } : {}),
  }
}
