/** Encodes objects, lists and watch events as JSON text, and caches the text of objects. */
import { defined } from '#kit'
import type { KubeObject } from '#platform/kube/meta'
import type { Served } from '#platform/kube/resources'
import type { ObjectList } from '../objects/list-objects.ts'
import type { WatchFrame } from '../watch/watch-changes.ts'

const cachedBodies = new WeakMap<KubeObject, string>()
const cachedMetadata = new WeakMap<object, string>()

/** The JSON after kind and apiVersion, without the opening brace. */
const bodyOf = (object: KubeObject, cache: boolean): string => {
  let body = cachedBodies.get(object)
  if (body === undefined) {
    const { apiVersion: _, kind: __, ...rest } = object
    body = JSON.stringify(rest).slice(1)
    if (cache) cachedBodies.set(object, body)
  }
  return body
}

const opening = (kind: string, apiVersion: string): string =>
  `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`

/** Encodes an object; caches the text if `cache` is true. */
export const objectJson = (object: KubeObject, cache = true): string =>
  opening(object.kind, object.apiVersion) + bodyOf(object, cache)

/** List items of built-in kinds omit kind and apiVersion; those of custom kinds keep them. */
const itemJson = (served: Served, object: KubeObject, cache: boolean): string =>
  served.kind.schema === undefined ? `{${bodyOf(object, cache)}` : objectJson(object, cache)

/** The parts of an encoded list: head, comma-separated items, tail. */
export interface ListForm {
  head: string
  /** Caches the text if `cache` is true; callers pass false for long lists, to save memory. */
  item(object: KubeObject, cache: boolean): string
  tail: string
}

export const listMetaJson = (list: ObjectList): string =>
  JSON.stringify({
    resourceVersion: list.resourceVersion,
    ...defined({ continue: list.continue, remainingItemCount: list.remaining }),
  })

export const listForm = (served: Served, list: ObjectList): ListForm => ({
  head: `${opening(`${served.kind.kind}List`, served.apiVersion)}"metadata":${listMetaJson(list)},"items":[`,
  item: (object, cache) => itemJson(served, object, cache),
  tail: ']}',
})

/** Encodes an object as `PartialObjectMetadata`, for tables and metadata-only clients. */
export const metadataJson = (object: KubeObject, apiVersion: string, cache = true): string => {
  let metadata = cachedMetadata.get(object.metadata)
  if (metadata === undefined) {
    metadata = JSON.stringify(object.metadata)
    if (cache) cachedMetadata.set(object.metadata, metadata)
  }
  return `${opening('PartialObjectMetadata', apiVersion)}"metadata":${metadata}}`
}

export const metadataListForm = (list: ObjectList, apiVersion: string): ListForm => ({
  head: `${opening('PartialObjectMetadataList', apiVersion)}"metadata":${listMetaJson(list)},"items":[`,
  item: (object, cache) => metadataJson(object, apiVersion, cache),
  tail: ']}',
})

/** The object of a bookmark event: it has a resource version, and may mark the end of the initial events. */
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

/** One line of a watch; `encode` renders an object in the negotiated form. */
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
