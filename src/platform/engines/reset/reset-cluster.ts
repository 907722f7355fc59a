/** Resets a cluster to its baseline in place: recreates only what differs. */
import { type Clock, sleep } from '#kit'
import { titleOf, waitUntilReady } from '#platform/engines/deploy'
import { type Client, events, type KubeObject, nodes, pods } from '#platform/kube/simulated'
import { isControlPlaneTaint, type ResetReport } from '#spec'
import { type Baseline, type BaselineObject, listBaselinePods, listJobUids, listStates } from './baseline.ts'
import {
  type DeletableObject,
  deleteWithDependents,
  removeFinalizers,
  waitUntilDeleted,
} from './delete-objects.ts'
import type { Differences } from './differences.ts'
import { equaliseAges } from './equalise-ages.ts'
import { findDifferences } from './find-differences.ts'
import { toDraft, toRestored } from './object-content.ts'
import { isDataUntouched, keepFreshPods } from './reset-choices.ts'
import type { ClaimContents, NodeDisks, RunningPods } from './reset-ports.ts'
import { deleteNewLeases, type RawStore, restoreMetadata } from './restore-metadata.ts'
import { revertDeployment } from './revert-deployment.ts'
import type { TouchedPods } from './touched-pods.ts'

export interface ResetContext {
  client: Client
  store: RawStore
  clock: Clock
  baseline: Baseline
  contents: ClaimContents
  disks: NodeDisks
  touched: TouchedPods
  processes: RunningPods
  /** Makes all nodes healthy and reachable. */
  healNodes(): Promise<void>
  /** The `app` labels of service registries. */
  registries: ReadonlySet<string>
  /** The `app` labels of data stores. */
  stores: ReadonlySet<string>
  keepData: boolean
  isTrusted: boolean
  keepNewPods: boolean
  /** Aborts the reset when the cluster is closed. */
  signal: AbortSignal
  /** Called for errors that do not stop the reset. */
  onError(error: Error): void
}

/** Long enough to recreate a large system on a busy machine. */
const READY_TIMEOUT_MS = 300_000
const EXIT_TIMEOUT_MS = 15_000
const BIND_TIMEOUT_MS = 2000
const POLL_MS = 5

/** Ends faults first, so that they do not interfere with the reset. */
const removeChaos = async (context: ResetContext): Promise<string[]> => {
  const { client, baseline } = context
  const toDelete = client
    .kinds()
    .filter(({ group }) => group === 'chaos-mesh.org')
    .flatMap((kind) => (client.list(kind) as readonly KubeObject[]).map((object) => ({ kind, object })))
    .filter(
      ({ kind, object }) =>
        !baseline.objects.has(`${kind.id} ${object.metadata.namespace}/${object.metadata.name}`),
    )
  for (const object of toDelete) deleteWithDependents(client, object)
  await waitUntilDeleted(toDelete, context)
  return toDelete.map(({ object }) => titleOf(object))
}

const taintsOf = ({ spec }: KubeObject): { key: string; effect: string }[] => spec.taints ?? []

/** Restores labels, annotations, finalizers, cordons and taints of nodes. The control plane manages its own taints. */
const restoreNodes = ({ client, baseline }: ResetContext): string[] =>
  [...baseline.nodes].flatMap(([name, before]) => {
    const current = client.get(nodes, '', name) as KubeObject | undefined
    if (current === undefined) {
      client.create(nodes, toDraft(before))
      return [titleOf(before)]
    }
    const expected = [
      ...taintsOf(before).filter((taint) => !isControlPlaneTaint(taint)),
      ...taintsOf(current).filter(isControlPlaneTaint),
    ]
    const { unschedulable: _unschedulable, taints: _taints, ...spec } = current.spec
    const draft = {
      ...current,
      spec: {
        ...spec,
        ...(expected.length === 0 ? {} : { taints: expected }),
        ...(before.spec.unschedulable === true ? { unschedulable: true } : {}),
      },
      metadata: {
        ...current.metadata,
        labels: before.metadata.labels ?? {},
        annotations: before.metadata.annotations ?? {},
        finalizers: before.metadata.finalizers ?? [],
      },
    } as KubeObject
    const after = client.update(nodes, draft as never) as KubeObject
    return after.metadata.resourceVersion === current.metadata.resourceVersion ? [] : [titleOf(before)]
  })

const deleteExtraNodes = ({ client, baseline }: ResetContext): string[] => {
  const extra = client.list(nodes).filter(({ metadata }) => !baseline.nodes.has(metadata.name))
  for (const { metadata } of extra) client.delete(nodes, '', metadata.name)
  return extra.map((node) => titleOf(node as KubeObject))
}

/** Deletes all events: those of the reset would reveal which objects it recreated. */
const deleteEvents = ({ client }: ResetContext): void => {
  for (const event of client.list(events) as readonly KubeObject[]) {
    removeFinalizers(client, events, event)
    client.delete(events, event.metadata.namespace!, event.metadata.name)
  }
}

/** Waits until the pods and their processes are gone: processes of a pod can outlive its object. */
const waitUntilExited = async (
  { client, processes, clock, signal, onError }: ResetContext,
  uids: readonly string[],
): Promise<void> => {
  const deadline = clock.now() + EXIT_TIMEOUT_MS
  for (;;) {
    signal.throwIfAborted()
    const present = new Set(client.list(pods).map(({ metadata }) => metadata.uid))
    const left = uids.filter((uid) => present.has(uid) || processes.find(uid) !== undefined)
    if (left.length === 0) return
    if (clock.now() > deadline) {
      onError(new Error(`these pods have not ended after ${EXIT_TIMEOUT_MS / 1000} s: ${left.join(', ')}`))
      return
    }
    await sleep(clock, POLL_MS)
  }
}

const recreateObject = (client: Client, { kind, object }: BaselineObject): void => {
  const { namespace = '', name } = object.metadata
  const servedKind = client.kinds().find(({ id }) => id === kind.id) ?? kind
  // A controller may have created it already, such as the default service account of a namespace.
  const existing = client.get(servedKind, namespace, name) as KubeObject | undefined
  if (existing === undefined) client.create(servedKind, toDraft(object))
  else client.update(servedKind, toRestored(existing, object))
}

/** Updates the object in place; recreates it if that is rejected. */
const revertObject = (client: Client, { kind, object }: BaselineObject, current: KubeObject): void => {
  try {
    client.update(kind, toRestored(current, object))
  } catch {
    deleteWithDependents(client, { kind, object: current })
    recreateObject(client, { kind, object })
  }
}

/** Recreates claims with their content before the workloads that use them. */
const recreateObjects = async (
  { client, clock, contents, signal }: ResetContext,
  objects: readonly BaselineObject[],
  changedClaims: readonly string[],
): Promise<void> => {
  const isDependency = ({ kind }: BaselineObject): boolean =>
    kind.group !== 'apps' && kind.group !== 'batch' && kind.id !== 'pods'
  const claims = objects.filter(({ kind }) => kind.id === 'persistentvolumeclaims')
  for (const object of objects.filter(isDependency)) recreateObject(client, object)
  const isBound = ({ kind, object }: BaselineObject): boolean =>
    client.get(kind, object.metadata.namespace!, object.metadata.name)?.status.phase === 'Bound'
  const deadline = clock.now() + BIND_TIMEOUT_MS
  while (!claims.every(isBound) && clock.now() < deadline) {
    signal.throwIfAborted()
    await sleep(clock, POLL_MS)
  }
  const recreatedClaims = claims.map(({ object }) => `${object.metadata.namespace}/${object.metadata.name}`)
  for (const claim of new Set([...changedClaims, ...recreatedClaims])) await contents.restore(claim)
  for (const object of objects.filter((candidate) => !isDependency(candidate))) recreateObject(client, object)
}

interface FoundChanges {
  readonly found: Differences
  readonly changedClaims: readonly string[]
}

const findChanges = async (context: ResetContext, areNodesUnchanged: boolean): Promise<FoundChanges> => {
  const { client, baseline, touched, registries, contents } = context
  const none = new Set<string>()
  const view = { client, baseline, touched, registries, claims: none, writtenStores: none }
  const isUntouched = isDataUntouched(view, context.isTrusted)
  const changedClaims = context.keepData && isUntouched ? [] : await contents.changed()
  // Only an agent, not a trusted solver, may have left text in stores.
  const writtenStores = isUntouched || context.isTrusted ? none : context.stores
  const all = findDifferences({ ...view, writtenStores, claims: new Set(changedClaims) })
  const found = context.keepNewPods && areNodesUnchanged ? keepFreshPods(view, all) : all
  return { found, changedClaims }
}

/** Deletes and reverts objects, and waits until all deleted objects and their processes are gone. */
const revertChanges = async (context: ResetContext, found: Differences): Promise<void> => {
  const { client } = context
  const toDelete: DeletableObject[] = [
    ...found.extra,
    ...found.replaced.map(({ baseline: { kind }, current }) => ({ kind, object: current })),
  ]
  const deletedPods = [
    ...found.revertible.flatMap((deployment) => revertDeployment(client, deployment)),
    ...toDelete.flatMap((target) => deleteWithDependents(client, target)),
    ...found.pods.flatMap((pod) => deleteWithDependents(client, { kind: pods, object: pod })),
  ]
  for (const { baseline, current } of found.changed) revertObject(client, baseline, current)
  await waitUntilDeleted(toDelete, context)
  await waitUntilExited(context, deletedPods)
}

/** Removes text of agents from metadata, leases, events and the history, and gives all objects the same age. */
const removeAgentText = (context: ResetContext): void => {
  const { client, baseline, store, clock } = context
  restoreMetadata(client, baseline, store)
  deleteNewLeases(client, baseline)
  deleteEvents(context)
  equaliseAges(client, store, clock.now())
  store.compact()
}

export const resetCluster = async (context: ResetContext): Promise<ResetReport> => {
  const { client, clock, baseline, touched, signal } = context
  const started = clock.now()
  const chaos = await removeChaos(context)
  await context.healNodes()
  const extraNodes = deleteExtraNodes(context)
  const restoredNodes = restoreNodes(context)
  const { found, changedClaims } = await findChanges(context, restoredNodes.length === 0)

  await revertChanges(context, found)
  await context.disks.restore()
  const recreated = [...found.missing, ...found.replaced.map((replaced) => replaced.baseline)]
  const order = [...baseline.objects.values()]
  await recreateObjects(
    context,
    recreated.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
    changedClaims,
  )
  await waitUntilReady(client, { clock, timeoutMs: READY_TIMEOUT_MS, signal })

  removeAgentText(context)
  baseline.pods = listBaselinePods(client)
  baseline.jobs = listJobUids(client)
  baseline.states = listStates(client)
  touched.clear()
  return {
    deleted: [...chaos, ...extraNodes, ...found.extra.map(({ object }) => titleOf(object))],
    recreated: [...recreated.map(({ object }) => titleOf(object)), ...found.pods.map(titleOf)],
    updated: [
      ...restoredNodes,
      ...[...found.revertible, ...found.changed].map(({ current }) => titleOf(current)),
    ],
    milliseconds: clock.now() - started,
  }
}
