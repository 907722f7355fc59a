/** What people say of an object, and whether they say the same of it at two times. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject } from '../../spec/index.ts'
import type { Snapshot } from '../snapshot-objects.ts'

/** Written by controllers. */
const SERVER_ANNOTATIONS =
  /^(deployment\.kubernetes\.io\/|autoscaling\.alpha|deprecated\.daemonset|control-plane\.alpha|pv\.kubernetes\.io\/|volume(\.beta)?\.kubernetes\.io\/|volumes\.kubernetes\.io\/|csi\.volume\.kubernetes\.io\/|node\.alpha\.kubernetes\.io\/|endpoints\.kubernetes\.io\/)/
const JOB_LABELS = /^(controller-uid|job-name|batch\.kubernetes\.io\/.*)$/

export type Plain = Record<string, unknown>
export type Entry = Snapshot['objects'][number]

export const keyOf = ({ ref, object }: Entry): string => `${ref.plural} ${object.metadata.name}`
export const nameOf = ({ object }: Entry): string => `${object.kind}/${object.metadata.name}`

const without = (map: unknown, isDropped: (key: string) => boolean): Plain =>
  Object.fromEntries(Object.entries((map ?? {}) as Plain).filter(([key]) => !isDropped(key)))

export const labelsOf = ({ metadata }: ApiObject): Plain => without(metadata.labels, () => false)
export const annotationsOf = ({ metadata }: ApiObject): Plain =>
  without(metadata.annotations, (key) => SERVER_ANNOTATIONS.test(key))

const hasOwner = ({ metadata }: ApiObject): boolean =>
  ((metadata.ownerReferences as unknown[] | undefined)?.length ?? 0) > 0

/** No status, nothing that the server writes. */
export const saidOf = (object: ApiObject): Plain => {
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

/** The replicas of what an autoscaler holds are the autoscaler's. */
export const scaledNames = ({ objects }: Snapshot): ReadonlySet<string> =>
  new Set(
    objects
      .filter(({ object }) => object.kind === 'HorizontalPodAutoscaler')
      .map(
        ({ object }) => (object.spec as { scaleTargetRef?: { kind?: string; name?: string } }).scaleTargetRef,
      )
      .map((target) => `${target?.kind}/${target?.name}`),
  )

interface Containers {
  readonly containers?: readonly { readonly name: string; readonly image?: string }[]
  readonly ephemeralContainers?: readonly { readonly name: string }[]
}

/** Of pods and claims the server writes most; what can be changed of a pod is what runs in it, and nothing of a claim. */
const specOf = (object: ApiObject, isScaled: boolean): unknown => {
  if (object.kind === 'PersistentVolumeClaim') return undefined
  if (object.kind === 'Pod') {
    const { containers = [], ephemeralContainers = [] } = (object.spec ?? {}) as Containers
    return [
      ...containers.map(({ name, image }) => `${name} ${image}`),
      ...ephemeralContainers.map((one) => one.name),
    ]
  }
  if (!isScaled) return object.spec
  const { replicas, ...spec } = (object.spec ?? {}) as Plain
  return spec
}

/** Whether another spec is said of it; `isScaled` where its replicas are somebody else's. */
export const hasOtherSpec = (one: Entry, other: Entry, isScaled: boolean): boolean =>
  !isDeepStrictEqual(specOf(one.object, isScaled), specOf(other.object, isScaled))

/** An autoscaler leaves what somebody has switched off alone for good. */
const isSwitchedOff = ({ object }: Entry): boolean => (object.spec as Plain | undefined)?.replicas === 0

/** The replicas of what has an owner are the owner's. */
export const isSame = (one: Entry, other: Entry, scaled: ReadonlySet<string>): boolean => {
  const isHeld = scaled.has(nameOf(one)) && !isSwitchedOff(one) && !isSwitchedOff(other)
  const isScaled = isHeld || one.isOwned
  const said = ({ object }: Entry): Plain => ({ ...saidOf(object), spec: specOf(object, isScaled) })
  return hasOwner(one.object) === hasOwner(other.object) && isDeepStrictEqual(said(one), said(other))
}

const change = (before: Plain, now: Plain): Plain => ({
  ...Object.fromEntries(Object.keys(now).map((key) => [key, null])),
  ...before,
})

/** Makes labels and annotations what they were, and gives to nobody what was nobody's. */
export const toMetadataPatch = (before: ApiObject, now: ApiObject): object => ({
  metadata: {
    labels: change(labelsOf(before), labelsOf(now)),
    annotations: change(annotationsOf(before), annotationsOf(now)),
    ...(hasOwner(now) && !hasOwner(before) ? { ownerReferences: null } : {}),
  },
})

/** A job gets its selector, and its pods their labels, from the server. */
export const creatable = ({ object }: Entry): Plain => {
  const plain = saidOf(object)
  if (object.kind !== 'Job') return plain
  const { selector, template, ...spec } = plain.spec as Plain
  const { metadata, ...inner } = template as Plain
  const labels = without((metadata as Plain | undefined)?.labels, (key) => JOB_LABELS.test(key))
  return { ...plain, spec: { ...spec, template: { ...inner, metadata: { ...(metadata as Plain), labels } } } }
}
