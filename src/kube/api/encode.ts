/** Stored objects as JSON text, each serialised once however often it is asked for. */
import type { KubeObject } from '../meta/index.ts'
import type { Served } from '../resources/index.ts'
import type { ObjectList } from './list-objects.ts'
import type { WatchFrame } from './watch-changes.ts'

const bodies = new WeakMap<KubeObject, string>()
const metadatas = new WeakMap<object, string>()

/** Everything after kind and apiVersion, without the opening brace. */
const bodyOf = (object: KubeObject, keep: boolean): string => {
  let body = bodies.get(object)
  if (body === undefined) {
    const { apiVersion: _, kind: __, ...rest } = object
    body = JSON.stringify(rest).slice(1)
    if (keep) bodies.set(object, body)
  }
  return body
}

const opening = (kind: string, apiVersion: string): string =>
  `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`

/** `keep` its text for whoever asks next. */
export const objectJson = (object: KubeObject, keep = true): string =>
  opening(object.kind, object.apiVersion) + bodyOf(object, keep)

/** Built-in kinds leave kind and apiVersion out of list items; custom ones keep them. */
const itemJson = (served: Served, object: KubeObject, keep: boolean): string =>
  served.kind.schema === undefined ? `{${bodyOf(object, keep)}` : objectJson(object, keep)

/** The texts that a list is made of: its head, its items with commas between them, its tail. */
export interface ListForm {
  head: string
  /** `keep` the text for whoever asks next: of a long list that would hold more memory than it saves time. */
  item(object: KubeObject, keep: boolean): string
  tail: string
}

export const listMetaJson = (list: ObjectList): string =>
  JSON.stringify({
    resourceVersion: list.resourceVersion,
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
  })

export const listForm = (served: Served, list: ObjectList): ListForm => ({
  head: `${opening(`${served.kind.kind}List`, served.apiVersion)}"metadata":${listMetaJson(list)},"items":[`,
  item: (object, keep) => itemJson(served, object, keep),
  tail: ']}',
})

/** `PartialObjectMetadata` of an object, as tables and metadata clients get it. */
export const metadataJson = (object: KubeObject, apiVersion: string, keep = true): string => {
  let metadata = metadatas.get(object.metadata)
  if (metadata === undefined) {
    metadata = JSON.stringify(object.metadata)
    if (keep) metadatas.set(object.metadata, metadata)
  }
  return `${opening('PartialObjectMetadata', apiVersion)}"metadata":${metadata}}`
}

export const metadataListForm = (list: ObjectList, apiVersion: string): ListForm => ({
  head: `${opening('PartialObjectMetadataList', apiVersion)}"metadata":${listMetaJson(list)},"items":[`,
  item: (object, keep) => metadataJson(object, apiVersion, keep),
  tail: ']}',
})

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
