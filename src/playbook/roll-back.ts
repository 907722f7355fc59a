/** Takes back what was done to the objects of a system since a snapshot. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject, KubeApi, ResourceRef } from '../spec/index.ts'
import { type Snapshot, snapshotObjects } from './snapshot-objects.ts'

/** Written by controllers. */
const SERVER_ANNOTATIONS =
  /^(deployment\.kubernetes\.io\/|autoscaling\.alpha|deprecated\.daemonset|control-plane\.alpha)/
const SERVER_TAINTS = /^node\.kubernetes\.io\//
const JOB_LABELS = /^(controller-uid|job-name|batch\.kubernetes\.io\/.*)$/

type Plain = Record<string, unknown>
interface Entry {
  readonly ref: ResourceRef
  readonly object: ApiObject
}

const keyOf = ({ ref, object }: Entry): string => `${ref.plural} ${object.metadata.name}`
const nameOf = ({ object }: Entry): string => `${object.kind}/${object.metadata.name}`

const without = (map: unknown, isDropped: (key: string) => boolean): Plain =>
  Object.fromEntries(Object.entries((map ?? {}) as Plain).filter(([key]) => !isDropped(key)))

/** What people say of an object: no status, nothing that the server writes. */
const saidOf = ({ status, metadata, ...rest }: ApiObject): Plain => ({
  ...rest,
  metadata: {
    name: metadata.name,
    namespace: metadata.namespace,
    labels: without(metadata.labels, () => false),
    annotations: without(metadata.annotations, (key) => SERVER_ANNOTATIONS.test(key)),
  },
})

/** The replicas of what an autoscaler holds are the autoscaler's. */
const scaledNames = ({ objects }: Snapshot): ReadonlySet<string> =>
  new Set(
    objects
      .filter(({ object }) => object.kind === 'HorizontalPodAutoscaler')
      .map(
        ({ object }) => (object.spec as { scaleTargetRef?: { kind?: string; name?: string } }).scaleTargetRef,
      )
      .map((target) => `${target?.kind}/${target?.name}`),
  )

const isSame = (one: Entry, other: Entry, isScaled: boolean): boolean => {
  const said = ({ object }: Entry): Plain => {
    const plain = saidOf(object)
    if (!isScaled) return plain
    const { replicas, ...spec } = plain.spec as Plain
    return { ...plain, spec }
  }
  return isDeepStrictEqual(said(one), said(other))
}

/** A job gets its selector, and its pods their labels, from the server. */
const creatable = ({ object }: Entry): Plain => {
  const plain = saidOf(object)
  if (object.kind !== 'Job') return plain
  const { selector, template, ...spec } = plain.spec as Plain
  const { metadata, ...inner } = template as Plain
  const labels = without((metadata as Plain | undefined)?.labels, (key) => JOB_LABELS.test(key))
  return { ...plain, spec: { ...spec, template: { ...inner, metadata: { ...(metadata as Plain), labels } } } }
}

const isGone = (error: unknown): boolean => (error as { code?: unknown }).code === 404

const remove = async (api: KubeApi, { ref, object }: Entry): Promise<void> => {
  try {
    await api.delete({ ...ref, name: object.metadata.name }, { propagationPolicy: 'Background' })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/** Where a field cannot be changed any more, the object is made anew. */
const putBack = async (api: KubeApi, entry: Entry): Promise<void> => {
  try {
    await api.update({ ...entry.ref, name: entry.object.metadata.name }, saidOf(entry.object))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 422) throw error
    await remove(api, entry)
    await api.create(entry.ref, creatable(entry))
  }
}

interface Taint {
  readonly key: string
}
const taintsOf = ({ spec }: ApiObject): Taint[] => [
  ...((spec as { taints?: Taint[] } | undefined)?.taints ?? []),
]
const isCordoned = ({ spec }: ApiObject): boolean =>
  (spec as { unschedulable?: boolean } | undefined)?.unschedulable === true

const rollBackNode = async (api: KubeApi, before: ApiObject, now: ApiObject): Promise<boolean> => {
  const own = (node: ApiObject): Taint[] => taintsOf(node).filter(({ key }) => !SERVER_TAINTS.test(key))
  const labels = {
    before: (before.metadata.labels ?? {}) as Plain,
    now: (now.metadata.labels ?? {}) as Plain,
  }
  if (
    isCordoned(before) === isCordoned(now) &&
    isDeepStrictEqual(own(before), own(now)) &&
    isDeepStrictEqual(labels.before, labels.now)
  )
    return false
  const added = Object.keys(labels.now).filter((key) => !(key in labels.before))
  const kept = taintsOf(now).filter(
    ({ key }) => SERVER_TAINTS.test(key) && key !== 'node.kubernetes.io/unschedulable',
  )
  await api.patch({ apiVersion: 'v1', plural: 'nodes', name: now.metadata.name }, 'merge', {
    metadata: { labels: { ...labels.before, ...Object.fromEntries(added.map((key) => [key, null])) } },
    spec: { unschedulable: isCordoned(before) ? true : null, taints: [...own(before), ...kept] },
  })
  return true
}

const rollBackNodes = async (api: KubeApi, before: Snapshot, now: Snapshot): Promise<string[]> => {
  const done: string[] = []
  for (const node of before.nodes) {
    const found = now.nodes.find(({ metadata }) => metadata.name === node.metadata.name)
    if (found !== undefined && (await rollBackNode(api, node, found))) done.push(`Node/${node.metadata.name}`)
  }
  return done
}

/**
 * Deletes what was made since, makes what was deleted, puts back what was changed; gives what it did. With an
 * administrator's rights. What is in volumes stays as it is.
 */
export const rollBack = async (api: KubeApi, snapshot: Snapshot): Promise<string[]> => {
  const now = await snapshotObjects(api, snapshot.namespace)
  const before = new Map(snapshot.objects.map((entry) => [keyOf(entry), entry]))
  const current = new Map(now.objects.map((entry) => [keyOf(entry), entry]))
  const scaled = scaledNames(snapshot)
  const done: string[] = []
  for (const [key, entry] of current)
    if (!before.has(key)) {
      await remove(api, entry)
      done.push(`${nameOf(entry)} deleted`)
    }
  for (const [key, entry] of before) {
    const found = current.get(key)
    if (found === undefined) {
      await api.create(entry.ref, creatable(entry))
      done.push(`${nameOf(entry)} created`)
    } else if (!isSame(entry, found, scaled.has(nameOf(entry)))) {
      await putBack(api, entry)
      done.push(`${nameOf(entry)} put back`)
    }
  }
  return [...done, ...(await rollBackNodes(api, snapshot, now)).map((name) => `${name} put back`)]
}
