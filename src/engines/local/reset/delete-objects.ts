/** Deletes objects with all that depends on them, at once, and waits until they are gone. */
import { type Clock, sleep } from '../../../kit/index.ts'
import {
  type Client,
  controllerRevisions,
  jobs,
  type Kind,
  type KubeObject,
  namespaces,
  pods,
  replicaSets,
} from '../../../kube/index.ts'
import { RemediumError } from '../../../spec/index.ts'
import { titleOf } from './baseline.ts'

export interface Goner {
  readonly kind: Kind
  readonly object: KubeObject
}

const DEPENDENTS: readonly Kind[] = [replicaSets, controllerRevisions, jobs, pods]
/** How long whoever holds an object by a finalizer gets to let go of it. */
const COURTESY_MS = { chaos: 8000, other: 400 }
const PATIENCE_MS = 30_000
const PAUSE_MS = 5
/** Controllers of the cluster see to these. */
const OWN_FINALIZERS = new Set(['kubernetes.io/pvc-protection', 'kubernetes.io/pv-protection', 'kubernetes'])
/** The controller of Jobs takes it from the pods that it has counted. */
const COUNTED_BY_JOB = 'batch.kubernetes.io/job-tracking'

/** Seconds for a pod to tell registries that it goes: they would send callers to it for long afterwards. */
const FAREWELL_S = 2

/** Whoever has a name of its own is waited for by the next of that name. */
const graceOf = (kind: Kind, { metadata, spec }: KubeObject): number =>
  kind.id === pods.id && metadata.ownerReferences?.some(({ kind: owner }) => owner === 'ReplicaSet') === true
    ? Math.min(FAREWELL_S, spec.terminationGracePeriodSeconds ?? FAREWELL_S)
    : 0

const currentOf = (client: Client, { kind, object }: Goner): KubeObject | undefined => {
  const served = client.kinds().find(({ id }) => id === kind.id)
  const found = served && client.get(served, object.metadata.namespace ?? '', object.metadata.name)
  return found?.metadata.uid === object.metadata.uid ? (found as KubeObject) : undefined
}

/** Takes the finalizers away that nobody in the cluster will. */
const releaseHeld = (client: Client, kind: Kind, object: KubeObject, kept: readonly string[] = []): void => {
  const finalizers = (object.metadata.finalizers ?? []).filter(
    (one) => OWN_FINALIZERS.has(one) || kept.includes(one),
  )
  if (finalizers.length === (object.metadata.finalizers ?? []).length) return
  client.update(kind, { ...object, metadata: { ...object.metadata, finalizers } })
}

/** Not by a client that waits: whoever is gone already was meant to go. */
const deleteOne = (client: Client, goner: Goner): void => {
  const { kind, object } = goner
  const current = currentOf(client, goner)
  // Nobody waits for these one by one, and whatever a template has written into its pods would hold them for ever.
  if (current !== undefined && DEPENDENTS.includes(kind)) releaseHeld(client, kind, current, [COUNTED_BY_JOB])
  if (currentOf(client, goner) === undefined) return
  client.delete(kind, object.metadata.namespace ?? '', object.metadata.name, {
    gracePeriodSeconds: graceOf(kind, object),
    propagation: 'Background',
  })
}

/** Everything happens before any controller gets to see it. Gives the uids of the pods among them. */
export const deleteWithDependents = (client: Client, { kind, object }: Goner): string[] => {
  const dependents = DEPENDENTS.flatMap((each) =>
    (client.ownedBy(each, object.metadata.uid) as readonly KubeObject[]).map((one) => ({
      kind: each,
      object: one,
    })),
  )
  const inside =
    kind.id === namespaces.id
      ? (client.list(pods, object.metadata.name) as readonly KubeObject[]).map((one) => ({
          kind: pods,
          object: one,
        }))
      : []
  deleteOne(client, { kind, object })
  const below = [...dependents, ...inside].flatMap((one) => deleteWithDependents(client, one))
  return kind.id === pods.id ? [object.metadata.uid, ...below] : below
}

/** What still lies in a namespace that is to go. */
const contentsOf = (client: Client, namespace: string): Goner[] =>
  client
    .kinds()
    .filter(({ namespaced }) => namespaced)
    .flatMap((kind) =>
      (client.list(kind, namespace) as readonly KubeObject[]).map((object) => ({ kind, object })),
    )

const release = (client: Client, goner: Goner): void => {
  const object = currentOf(client, goner)
  if (object === undefined) return
  if (goner.kind.id === namespaces.id)
    for (const { kind, object: inside } of contentsOf(client, object.metadata.name))
      if (inside.metadata.deletionTimestamp !== undefined) releaseHeld(client, kind, inside)
  releaseHeld(client, goner.kind, object)
}

/** Resolves when all of them are gone. */
export const untilGone = async (
  goners: readonly Goner[],
  { client, clock, signal }: { client: Client; clock: Clock; signal: AbortSignal },
): Promise<void> => {
  const started = clock.now()
  const courtesy = goners.some(({ kind }) => kind.group === 'chaos-mesh.org')
    ? COURTESY_MS.chaos
    : COURTESY_MS.other
  for (;;) {
    signal.throwIfAborted()
    const left = goners.filter((goner) => currentOf(client, goner) !== undefined)
    if (left.length === 0) return
    const waited = clock.now() - started
    if (waited > courtesy) for (const goner of left) release(client, goner)
    if (waited > PATIENCE_MS) {
      const names = left.map(({ object }) => titleOf(object)).join(', ')
      throw new RemediumError('not-ready', `These objects do not go away: ${names}.`)
    }
    await sleep(clock, PAUSE_MS)
  }
}
