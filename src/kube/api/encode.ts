/** Stored objects as JSON text, each serialised once however often it is asked for. */
import type { KubeObject } from '../meta/index.ts'
import type { Served } from '../resources/index.ts'
import type { ObjectList } from './list-objects.ts'
import type { WatchFrame } from './watch-changes.ts'

const bodies = new WeakMap<KubeObject, string>()
const metadatas = new WeakMap<object, string>()

/** Everything after kind and apiVersion, without the opening brace. */
const bodyOf = (object: KubeObject): string => {
  let body = bodies.get(object)
  if (body === undefined) {
    const { apiVersion: _, kind: __, ...rest } = object
    body = JSON.stringify(rest).slice(1)
    bodies.set(object, body)
  }
  return body
}

const opening = (kind: string, apiVersion: string): string =>
  `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`

export const objectJson = (object: KubeObject): string =>
  opening(object.kind, object.apiVersion) + bodyOf(object)

/** Built-in kinds leave kind and apiVersion out of list items; custom ones keep them. */
const itemJson = (served: Served, object: KubeObject): string =>
  served.kind.schema === undefined ? `{${bodyOf(object)}` : objectJson(object)

const listMeta = (list: ObjectList): string =>
  JSON.stringify({
    resourceVersion: list.resourceVersion,
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
  })

export const listJson = (served: Served, list: ObjectList): string =>
  `${opening(`${served.kind.kind}List`, served.apiVersion)}"metadata":${listMeta(list)},"items":[${list.items
    .map((object) => itemJson(served, object))
    .join(',')}]}`

/** `PartialObjectMetadata` of an object, as tables and metadata clients get it. */
export const metadataJson = (object: KubeObject, apiVersion: string): string => {
  let metadata = metadatas.get(object.metadata)
  if (metadata === undefined) {
    metadata = JSON.stringify(object.metadata)
    metadatas.set(object.metadata, metadata)
  }
  return `${opening('PartialObjectMetadata', apiVersion)}"metadata":${metadata}}`
}

export const metadataListJson = (list: ObjectList, apiVersion: string): string =>
  `${opening('PartialObjectMetadataList', apiVersion)}"metadata":${listMeta(list)},"items":[${list.items
    .map((object) => metadataJson(object, apiVersion))
    .join(',')}]}`

export const listMetaJson = listMeta

/** The object that a bookmark carries: nothing but its place. */
const bookmarkJson = (served: Served, frame: WatchFrame & { type: 'BOOKMARK' }): string =>
  JSON.stringify({
    kind: served.kind.kind,
    apiVersion: served.apiVersion,
    metadata: {
      resourceVersion: frame.resourceVersion,
      creationTimestamp: null,
      ...(frame.initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
    ...(served.kind.hasStatus ? { spec: {}, status: {} } : {}),
  })

/** One line of a watch; `encode` gives an object the form that was negotiated. */
export const frameJson = (
  served: Served,
  frame: WatchFrame,
  encode: (object: KubeObject) => string,
): string => {
  switch (frame.type) {
    case 'BOOKMARK':
      return `{"type":"BOOKMARK","object":${bookmarkJson(served, frame)}}\n`
    case 'ERROR':
      return `{"type":"ERROR","object":${JSON.stringify(frame.error.toStatus())}}\n`
    default:
      return `{"type":"${frame.type}","object":${encode(served.toServed(frame.object))}}\n`
  }
}
