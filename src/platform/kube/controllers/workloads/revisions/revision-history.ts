/** The ControllerRevisions of a StatefulSet or DaemonSet: one per version of its template. */
import type { ControllerRevision } from 'kubernetes-types/apps/v1.d.ts'
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { deepEqual, defined } from '#kit'
import { controllerRevisions } from '#platform/kube/kinds'
import {
  controlledBy,
  controllerOf,
  isAlreadyExists,
  type ObjectMeta,
  type Stored,
  toLabelMatcher,
} from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { claimOwned } from '../ownership/claim-owned.ts'
import { safeHash } from './safe-hash.ts'
import { toCanonicalJson } from './to-canonical-json.ts'

export type Revision = Stored<ControllerRevision>

interface Owner {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  spec: { selector: LabelSelector; template: PodTemplateSpec; revisionHistoryLimit?: number }
  status: { collisionCount?: number }
}

interface RevisionData {
  spec: { template: PodTemplateSpec & { $patch?: 'replace' } }
}

/**
 * Returns the data as Go encodes it: with sorted keys, and the empty creation time as null. kubectl compares its bytes
 * with the template that it encodes itself, and skips a rollback to an equal one.
 */
const dataOf = ({ spec: { template } }: Owner): RevisionData => {
  const metadata = { creationTimestamp: null, ...template.metadata }
  return JSON.parse(
    toCanonicalJson({ spec: { template: { $patch: 'replace', ...template, metadata } } }),
  ) as RevisionData
}

/** Returns the pod template of a revision. */
export const templateOf = (revision: Revision): PodTemplateSpec => {
  const { $patch: _, metadata, ...template } = (revision.data as RevisionData).spec.template
  const { creationTimestamp: __, ...rest } = metadata ?? {}
  return { ...template, metadata: rest }
}

/** Lists all revisions of the owner, oldest first. */
export const listRevisions = (client: Client, owner: Owner): Revision[] => {
  const matches = toLabelMatcher(owner.spec.selector)
  return claimOwned(client, controllerRevisions, owner, (revision) => matches(revision.metadata.labels)).sort(
    (a, b) => a.revision - b.revision || (a.metadata.name < b.metadata.name ? -1 : 1),
  )
}

interface CurrentRevision {
  revision: Revision
  /** Number of hash collisions with other objects so far. */
  collisions: number
}

interface Attempt {
  hashLabel: string
  number: number
  collisions: number
}

const createRevision = (client: Client, owner: Owner, attempt: Attempt): CurrentRevision => {
  const { hashLabel, number, collisions } = attempt
  const data = dataOf(owner)
  const hash = safeHash(data, collisions === 0 ? undefined : collisions)
  const name = `${owner.metadata.name}-${hash}`
  try {
    const revision = client.create(controllerRevisions, {
      metadata: {
        name,
        ...defined({ namespace: owner.metadata.namespace }),
        labels: { ...owner.spec.template.metadata?.labels, [hashLabel]: hash },
        ...defined({ annotations: owner.metadata.annotations }),
        ownerReferences: [controlledBy(owner)],
      },
      data: data as never,
      revision: number,
    })
    return { revision, collisions }
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const taken = client.get(controllerRevisions, owner.metadata.namespace ?? '', name)
    const isOwned =
      taken !== undefined && controllerOf(taken)?.uid === owner.metadata.uid && deepEqual(taken.data, data)
    return isOwned
      ? { revision: taken, collisions }
      : createRevision(client, owner, { ...attempt, collisions: collisions + 1 })
  }
}

/** Returns the revision of the owner's current template. Creates it, or renumbers an older equal one, if needed. */
export const currentRevision = (
  client: Client,
  owner: Owner,
  revisions: readonly Revision[],
  hashLabel: string,
): CurrentRevision => {
  const collisions = owner.status.collisionCount ?? 0
  const latest = revisions.at(-1)
  const next = (latest?.revision ?? 0) + 1
  const data = dataOf(owner)
  const equal = revisions.findLast((revision) => deepEqual(revision.data, data))
  if (equal === undefined) return createRevision(client, owner, { hashLabel, number: next, collisions })
  if (equal === latest) return { revision: equal, collisions }
  return { revision: client.update(controllerRevisions, { ...equal, revision: next }), collisions }
}

/** Deletes the oldest unused revisions beyond the history limit. */
export const trimRevisions = (
  client: Client,
  owner: Owner,
  revisions: readonly Revision[],
  isLive: (revision: Revision) => boolean,
): void => {
  const unused = revisions.filter((revision) => !isLive(revision))
  const limit = owner.spec.revisionHistoryLimit ?? 10
  for (const { metadata } of unused.slice(0, Math.max(0, unused.length - limit))) {
    client.delete(controllerRevisions, metadata.namespace ?? '', metadata.name)
  }
}
