/** Brings a cluster back to its baseline in place: only what differs is made anew. */
import { type Clock, sleep } from '../../../kit/index.ts'
import { type Client, events, type KubeObject, nodes, type PodProcesses } from '../../../kube/index.ts'
import { isControlPlaneTaint, type ResetReport } from '../../../spec/index.ts'
import { type Baseline, type BaselineObject, jobsNow, podsNow, titleOf } from './baseline.ts'
import type { ClaimContents } from './claim-contents.ts'
import { deleteWithDependents, type Goner, untilGone } from './delete-objects.ts'
import { findDifferences, onlyUsersWrote, withoutNewPods } from './find-differences.ts'
import type { NodeDisks } from './node-disks.ts'
import { restored, toDraft } from './object-content.ts'
import { untilReady } from './readiness.ts'
import type { TouchedPods } from './touched-pods.ts'
import { turnBack } from './turn-back.ts'

export interface ResetSetting {
  client: Client
  clock: Clock
  baseline: Baseline
  contents: ClaimContents
  disks: NodeDisks
  touched: TouchedPods
  processes: PodProcesses
  /** Makes every node healthy and reachable. */
  healNodes(): Promise<void>
  registries: ReadonlySet<string>
  keepData: boolean
  isTrusted: boolean
  keepNewPods: boolean
  /** Gives up: the cluster is being closed. */
  signal: AbortSignal
  /** Told of what does not keep the rest from going back. */
  onError(error: Error): void
}

/** A large system that was made anew on a busy machine takes its time. */
const READY_MS = 300_000
const ENDED_MS = 15_000
const BOUND_MS = 2000
const PAUSE_MS = 5

/** Faults end first, so that nothing is broken again meanwhile. */
const removeChaos = async (setting: ResetSetting): Promise<string[]> => {
  const { client, baseline } = setting
  const goners = client
    .kinds()
    .filter(({ group }) => group === 'chaos-mesh.org')
    .flatMap((kind) => (client.list(kind) as readonly KubeObject[]).map((object) => ({ kind, object })))
    .filter(
      ({ kind, object }) =>
        !baseline.objects.has(`${kind.id} ${object.metadata.namespace}/${object.metadata.name}`),
    )
  for (const goner of goners) deleteWithDependents(client, goner)
  await untilGone(goners, setting)
  return goners.map(({ object }) => titleOf(object))
}

/** How long kubelets may keep what they have read, which a controller says by the size of the cluster. */
const TTL = 'node.alpha.kubernetes.io/ttl'

const ownNotesOf = ({ metadata: { annotations } }: KubeObject): Record<string, string> =>
  annotations?.[TTL] === undefined ? {} : { [TTL]: annotations[TTL] }

const taintsOf = ({ spec }: KubeObject): { key: string; effect: string }[] => spec.taints ?? []

/** Labels, annotations, finalizers, cordons and taints of nodes; those taints that tell of a node's state go by themselves. */
const restoreNodes = ({ client, baseline }: ResetSetting): string[] =>
  [...baseline.nodes].flatMap(([name, before]) => {
    const current = client.get(nodes, '', name) as KubeObject | undefined
    if (current === undefined) {
      client.create(nodes, toDraft(before))
      return [titleOf(before)]
    }
    const wanted = [
      ...taintsOf(before).filter((taint) => !isControlPlaneTaint(taint)),
      ...taintsOf(current).filter(isControlPlaneTaint),
    ]
    const { unschedulable: _unschedulable, taints: _taints, ...spec } = current.spec
    const draft = {
      ...current,
      spec: {
        ...spec,
        ...(wanted.length === 0 ? {} : { taints: wanted }),
        ...(before.spec.unschedulable === true ? { unschedulable: true } : {}),
      },
      metadata: {
        ...current.metadata,
        labels: before.metadata.labels ?? {},
        annotations: { ...before.metadata.annotations, ...ownNotesOf(current) },
        finalizers: before.metadata.finalizers ?? [],
      },
    } as KubeObject
    const after = client.update(nodes, draft as never) as KubeObject
    return after.metadata.resourceVersion === current.metadata.resourceVersion ? [] : [titleOf(before)]
  })

const removeNodes = ({ client, baseline }: ResetSetting): string[] => {
  const extra = client.list(nodes).filter(({ metadata }) => !baseline.nodes.has(metadata.name))
  for (const { metadata } of extra) client.delete(nodes, '', metadata.name)
  return extra.map((node) => titleOf(node as KubeObject))
}

const forgetEvents = ({ client, baseline }: ResetSetting, isOld: (event: KubeObject) => boolean): void => {
  for (const event of client.list(events) as readonly KubeObject[])
    if (!baseline.events.has(event.metadata.uid) && isOld(event))
      client.delete(events, event.metadata.namespace!, event.metadata.name)
}

/** An object may be gone before its processes are. */
const untilEnded = async (
  { processes, clock, signal, onError }: ResetSetting,
  uids: readonly string[],
): Promise<void> => {
  const deadline = clock.now() + ENDED_MS
  for (;;) {
    signal.throwIfAborted()
    const left = uids.filter((uid) => processes.find(uid) !== undefined)
    if (left.length === 0) return
    if (clock.now() > deadline) {
      onError(new Error(`after ${ENDED_MS / 1000} s these pods have not ended: ${left.join(', ')}`))
      return
    }
    await sleep(clock, PAUSE_MS)
  }
}

const make = (client: Client, { kind, object }: BaselineObject): void => {
  const { namespace = '', name } = object.metadata
  const served = client.kinds().find(({ id }) => id === kind.id) ?? kind
  // A controller may have been quicker: that of namespaces makes accounts, for one.
  const there = client.get(served, namespace, name) as KubeObject | undefined
  if (there === undefined) client.create(served, toDraft(object))
  else client.update(served, restored(there, object))
}

/** In place where the kind allows that, otherwise anew. */
const change = (client: Client, { kind, object }: BaselineObject, current: KubeObject): void => {
  try {
    client.update(kind, restored(current, object))
  } catch {
    deleteWithDependents(client, { kind, object: current })
    make(client, { kind, object })
  }
}

/** Claims first, with what was in them, and then whoever uses them. */
const makeAll = async (
  { client, clock, contents, signal }: ResetSetting,
  objects: readonly BaselineObject[],
  changedClaims: readonly string[],
): Promise<void> => {
  const needed = ({ kind }: BaselineObject): boolean =>
    kind.group !== 'apps' && kind.group !== 'batch' && kind.id !== 'pods'
  const claims = objects.filter(({ kind }) => kind.id === 'persistentvolumeclaims')
  for (const object of objects.filter(needed)) make(client, object)
  const isBound = ({ kind, object }: BaselineObject): boolean =>
    client.get(kind, object.metadata.namespace!, object.metadata.name)?.status.phase === 'Bound'
  const deadline = clock.now() + BOUND_MS
  while (!claims.every(isBound) && clock.now() < deadline) {
    signal.throwIfAborted()
    await sleep(clock, PAUSE_MS)
  }
  const made = claims.map(({ object }) => `${object.metadata.namespace}/${object.metadata.name}`)
  for (const claim of new Set([...changedClaims, ...made])) await contents.restore(claim)
  for (const object of objects.filter((one) => !needed(one))) make(client, object)
}

export const resetCluster = async (setting: ResetSetting): Promise<ResetReport> => {
  const { client, clock, baseline, touched, contents, signal } = setting
  const started = clock.now()
  const chaos = await removeChaos(setting)
  await setting.healNodes()
  const strange = removeNodes(setting)
  const healed = restoreNodes(setting)
  const { registries } = setting
  const view = { client, baseline, touched, registries, claims: new Set<string>() }
  const isKept = setting.keepData && onlyUsersWrote(view, setting.isTrusted)
  const claims = isKept ? [] : await contents.changed()
  const all = findDifferences({ ...view, claims: new Set(claims) })
  const found = setting.keepNewPods && healed.length === 0 ? withoutNewPods(view, all) : all
  const known = new Set((client.list(events) as readonly KubeObject[]).map(({ metadata }) => metadata.uid))
  forgetEvents(setting, ({ metadata }) => known.has(metadata.uid))

  const goners: Goner[] = [
    ...found.extra,
    ...found.replaced.map(({ baseline: { kind }, current }) => ({ kind, object: current })),
  ]
  const gonePods = [
    ...found.turned.flatMap((turned) => turnBack(client, turned)),
    ...goners.flatMap((goner) => deleteWithDependents(client, goner)),
    ...found.pods.flatMap((pod) =>
      deleteWithDependents(client, { kind: client.kindOf('v1', 'Pod')!, object: pod }),
    ),
  ]
  for (const { baseline: before, current } of found.changed) change(client, before, current)
  await untilGone(goners, setting)
  await untilEnded(setting, gonePods)
  await setting.disks.restore()
  const again = [...found.missing, ...found.replaced.map(({ baseline: before }) => before)]
  const order = [...baseline.objects.values()]
  await makeAll(
    setting,
    again.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
    claims,
  )
  await untilReady(client, { clock, timeoutMs: READY_MS, signal })

  const gone = new Set(gonePods)
  forgetEvents(setting, ({ involvedObject }) => gone.has(involvedObject?.uid))
  baseline.pods = podsNow(client)
  baseline.jobs = jobsNow(client)
  touched.clear()
  return {
    deleted: [...chaos, ...strange, ...found.extra.map(({ object }) => titleOf(object))],
    recreated: [...again.map(({ object }) => titleOf(object)), ...found.pods.map(titleOf)],
    updated: [...healed, ...[...found.turned, ...found.changed].map(({ current }) => titleOf(current))],
    milliseconds: clock.now() - started,
  }
}
