/** What of an object somebody has decided, as opposed to what the cluster notes on it. */
import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../../kube/index.ts'

/** Written by controllers as they go. */
const BINDING = /^(pv\.kubernetes\.io\/|volume\.kubernetes\.io\/|volume\.beta\.kubernetes\.io\/)/
const REVISION = 'deployment.kubernetes.io/revision'

const keep = <T>(record: Readonly<Record<string, T>> | undefined, isKept: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(record ?? {}).filter(([name]) => isKept(name)))

/** A claim is the same claim, whichever volume it was bound to. */
const bodyOf = (object: KubeObject): Record<string, unknown> => {
  const { apiVersion: _apiVersion, kind, metadata: _metadata, status: _status, ...body } = object
  if (kind !== 'PersistentVolumeClaim') return body
  const { volumeName: _volumeName, ...spec } = object.spec
  return { ...body, spec }
}

const annotationsOf = ({ metadata }: KubeObject): Record<string, string> =>
  keep(metadata.annotations, (name) => name !== REVISION && !BINDING.test(name))

/** Whether they agree in everything but labels, annotations and the like; Deployments in their revision too. */
export const isSameBody = (one: KubeObject, other: KubeObject): boolean =>
  one.metadata.resourceVersion === other.metadata.resourceVersion ||
  (isDeepStrictEqual(bodyOf(one), bodyOf(other)) &&
    one.metadata.annotations?.[REVISION] === other.metadata.annotations?.[REVISION])

/** Whether their labels, annotations, finalizers and owners agree. */
export const isSameMetadata = (one: KubeObject, other: KubeObject): boolean => {
  const shown = (object: KubeObject): unknown => [
    object.metadata.labels ?? {},
    annotationsOf(object),
    object.metadata.finalizers ?? [],
    object.metadata.ownerReferences ?? [],
  ]
  return isDeepStrictEqual(shown(one), shown(other))
}

/** A draft from which the object is made again, as somebody first made it. */
export const toDraft = (object: KubeObject): Record<string, any> => {
  const { name, namespace, labels, ownerReferences } = object.metadata
  const { status: _status, ...rest } = object
  const body = bodyOf(object)
  const spec = body.spec as Record<string, unknown> | undefined
  // Where a pod goes is for the scheduler to say, once more.
  const { nodeName: _nodeName, ...unplaced } = spec ?? {}
  return structuredClone({
    ...rest,
    ...body,
    ...(object.kind === 'Pod' ? { spec: unplaced } : {}),
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      annotations: annotationsOf(object),
    },
  })
}

/** `current` with the body and the metadata of `baseline`, to be written in its place. */
export const restored = (current: KubeObject, baseline: KubeObject): KubeObject => {
  const {
    labels: _labels,
    annotations,
    finalizers: _finalizers,
    ownerReferences: _owners,
    ...own
  } = current.metadata
  const { labels, finalizers, ownerReferences } = baseline.metadata
  const notes = keep(annotations, (name) => name === REVISION || BINDING.test(name))
  const status = current.status === undefined ? {} : { status: current.status }
  const { metadata: _metadata, status: _status, ...body } = baseline
  return structuredClone({
    ...body,
    ...status,
    metadata: {
      ...own,
      ...(labels === undefined ? {} : { labels }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      annotations: { ...annotationsOf(baseline), ...notes },
    },
  })
}

/** `object` with the revision that the baseline's Deployment had. */
export const withRevisionOf = (baseline: KubeObject, object: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: {
      ...object.metadata.annotations,
      [REVISION]: baseline.metadata.annotations?.[REVISION] ?? '1',
    },
  },
})
