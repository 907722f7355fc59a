/** The declared content of an object, without fields that the cluster writes. */
import { isDeepStrictEqual } from 'node:util'
import { defined } from '#kit'
import type { KubeObject } from '#platform/kube/simulated'

/** Annotations that controllers write. */
const BINDING_ANNOTATIONS = /^(pv\.kubernetes\.io\/|volume\.kubernetes\.io\/|volume\.beta\.kubernetes\.io\/)/
const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision'

const pick = <T>(record: Readonly<Record<string, T>> | undefined, isKept: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(record ?? {}).filter(([name]) => isKept(name)))

/** The body without status and metadata, and without the volume to which a claim is bound. */
const bodyOf = (object: KubeObject): Record<string, unknown> => {
  const { apiVersion: _apiVersion, kind, metadata: _metadata, status: _status, ...body } = object
  if (kind !== 'PersistentVolumeClaim') return body
  const { volumeName: _volumeName, ...spec } = object.spec
  return { ...body, spec }
}

/** Field managers except those of the status, which only components of the cluster write. */
export const writersOf = ({ metadata }: KubeObject): NonNullable<KubeObject['metadata']['managedFields']> =>
  (metadata.managedFields ?? []).filter(({ subresource }) => subresource !== 'status')

const annotationsOf = ({ metadata }: KubeObject): Record<string, string> =>
  pick(metadata.annotations, (name) => name !== REVISION_ANNOTATION && !BINDING_ANNOTATIONS.test(name))

/** Whether the declared bodies of two objects are equal. The revision of Deployments is compared too. */
export const isSameBody = (left: KubeObject, right: KubeObject): boolean =>
  left.metadata.resourceVersion === right.metadata.resourceVersion ||
  (isDeepStrictEqual(bodyOf(left), bodyOf(right)) &&
    left.metadata.annotations?.[REVISION_ANNOTATION] === right.metadata.annotations?.[REVISION_ANNOTATION])

/** Whether labels, annotations, finalizers and owners are equal. */
export const isSameMetadata = (left: KubeObject, right: KubeObject): boolean => {
  const toComparable = (object: KubeObject): unknown => [
    object.metadata.labels ?? {},
    annotationsOf(object),
    object.metadata.finalizers ?? [],
    object.metadata.ownerReferences ?? [],
  ]
  return isDeepStrictEqual(toComparable(left), toComparable(right))
}

/** A manifest to recreate the object. */
export const toDraft = (object: KubeObject): Record<string, any> => {
  const { name, namespace, labels, ownerReferences } = object.metadata
  const { status: _status, ...rest } = object
  const body = bodyOf(object)
  const spec = body.spec as Record<string, unknown> | undefined
  // The scheduler assigns a new node.
  const { nodeName: _nodeName, ...unassigned } = spec ?? {}
  return structuredClone({
    ...rest,
    ...body,
    ...(object.kind === 'Pod' ? { spec: unassigned } : {}),
    metadata: {
      name,
      ...defined({ namespace, labels, ownerReferences }),
      annotations: annotationsOf(object),
    },
  })
}

/** Returns `current` with the body and the metadata of `baseline`, for an update. */
export const toRestored = (current: KubeObject, baseline: KubeObject): KubeObject => {
  const {
    labels: _labels,
    annotations,
    finalizers: _finalizers,
    ownerReferences: _owners,
    ...serverFields
  } = current.metadata
  const { labels, finalizers, ownerReferences } = baseline.metadata
  const controllerAnnotations = pick(
    annotations,
    (name) => name === REVISION_ANNOTATION || BINDING_ANNOTATIONS.test(name),
  )
  const status = defined({ status: current.status })
  const { metadata: _metadata, status: _status, ...body } = baseline
  return structuredClone({
    ...body,
    ...status,
    metadata: {
      ...serverFields,
      ...defined({ labels, finalizers, ownerReferences }),
      annotations: { ...annotationsOf(baseline), ...controllerAnnotations },
    },
  })
}

/** Returns `object` with the revision of the baseline's Deployment. */
export const withRevisionOf = (baseline: KubeObject, object: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: {
      ...object.metadata.annotations,
      [REVISION_ANNOTATION]: baseline.metadata.annotations?.[REVISION_ANNOTATION] ?? '1',
    },
  },
})
