/** The declared state of an object: the fields that clients write, without the status and the fields that controllers write. */
import { isDeepStrictEqual } from 'node:util'
import { type ApiObject, labelsOf, ownersOf, replicasOf, viewAs } from '#spec'
import type { Snapshot } from '../snapshot-objects.ts'

/** Annotations that controllers write. */
const SERVER_ANNOTATIONS =
  /^(deployment\.kubernetes\.io\/|autoscaling\.alpha|deprecated\.daemonset|control-plane\.alpha|pv\.kubernetes\.io\/|volume(\.beta)?\.kubernetes\.io\/|volumes\.kubernetes\.io\/|csi\.volume\.kubernetes\.io\/|node\.alpha\.kubernetes\.io\/|endpoints\.kubernetes\.io\/)/
const JOB_LABELS = /^(controller-uid|job-name|batch\.kubernetes\.io\/.*)$/

export type Plain = Record<string, unknown>
export type Entry = Snapshot['objects'][number]

export const keyOf = ({ ref, object }: Entry): string => `${ref.plural} ${object.metadata.name}`
export const nameOf = ({ object }: Entry): string => `${object.kind}/${object.metadata.name}`

const omit = (map: unknown, isDropped: (key: string) => boolean): Plain =>
  Object.fromEntries(Object.entries((map ?? {}) as Plain).filter(([key]) => !isDropped(key)))

export const annotationsOf = ({ metadata }: ApiObject): Plain =>
  omit(metadata.annotations, (key) => SERVER_ANNOTATIONS.test(key))

const hasOwner = (object: ApiObject): boolean => ownersOf(object).length > 0

/** Returns the object without its status and without metadata that the server writes. */
export const toDeclared = (object: ApiObject): Plain => {
  const { status, metadata, ...rest } = object
  return {
    ...rest,
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace,
      labels: labelsOf(object),
      annotations: annotationsOf(object),
    },
  }
}

/** Names of the workloads whose replicas an autoscaler manages. */
export const findAutoscaled = ({ objects }: Snapshot): ReadonlySet<string> =>
  new Set(
    objects
      .filter(({ object }) => object.kind === 'HorizontalPodAutoscaler')
      .map(({ object }) => viewAs('HorizontalPodAutoscaler', object).spec?.scaleTargetRef)
      .map((target) => `${target?.kind}/${target?.name}`),
  )

/** The part of the spec that clients can change: for a pod only its containers, for a claim nothing. */
const specOf = (object: ApiObject, ignoresReplicas: boolean): unknown => {
  if (object.kind === 'PersistentVolumeClaim') return undefined
  if (object.kind === 'Pod') {
    const { containers = [], ephemeralContainers = [] } = viewAs('Pod', object).spec ?? {}
    return [
      ...containers.map(({ name, image }) => `${name} ${image}`),
      ...ephemeralContainers.map((container) => container.name),
    ]
  }
  if (!ignoresReplicas) return object.spec
  const { replicas, ...spec } = (object.spec ?? {}) as Plain
  return spec
}

/** Whether the specs differ. With `ignoresReplicas`, the number of replicas is not compared, because a controller manages it. */
export const hasChangedSpec = (before: Entry, after: Entry, ignoresReplicas: boolean): boolean =>
  !isDeepStrictEqual(specOf(before.object, ignoresReplicas), specOf(after.object, ignoresReplicas))

/** An autoscaler ignores a workload that is scaled to zero. */
const isScaledToZero = ({ object }: Entry): boolean => replicasOf(object) === 0

/** Ignores replicas that an autoscaler or an owner manages. */
export const isUnchanged = (before: Entry, after: Entry, autoscaled: ReadonlySet<string>): boolean => {
  const isAutoscaled = autoscaled.has(nameOf(before)) && !isScaledToZero(before) && !isScaledToZero(after)
  const ignoresReplicas = isAutoscaled || before.isOwned
  const comparable = ({ object }: Entry): Plain => ({
    ...toDeclared(object),
    spec: specOf(object, ignoresReplicas),
  })
  return (
    hasOwner(before.object) === hasOwner(after.object) &&
    isDeepStrictEqual(comparable(before), comparable(after))
  )
}

const toMergePatch = (before: Plain, now: Plain): Plain => ({
  ...Object.fromEntries(Object.keys(now).map((key) => [key, null])),
  ...before,
})

/** A merge patch that restores labels and annotations, and removes owner references that were added. */
export const toMetadataPatch = (before: ApiObject, now: ApiObject): object => ({
  metadata: {
    labels: toMergePatch(labelsOf(before), labelsOf(now)),
    annotations: toMergePatch(annotationsOf(before), annotationsOf(now)),
    ...(hasOwner(now) && !hasOwner(before) ? { ownerReferences: null } : {}),
  },
})

/** Omits the selector of a Job and the labels of its pods, because the server generates them. */
export const toCreatable = ({ object }: Entry): Plain => {
  const plain = toDeclared(object)
  if (object.kind !== 'Job') return plain
  const { selector, template, ...spec } = plain.spec as Plain
  const { metadata, ...rest } = template as Plain
  const labels = omit((metadata as Plain | undefined)?.labels, (key) => JOB_LABELS.test(key))
  return { ...plain, spec: { ...spec, template: { ...rest, metadata: { ...(metadata as Plain), labels } } } }
}
