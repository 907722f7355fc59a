/** The `scale` subresource: one small object for everything that has replicas. */
import { countAtPath, type Kind, type ScalePaths, scaleSelectorOf, withValueAtPath } from '../kinds/index.ts'
import {
  invalid,
  invalidObject,
  type KubeObject,
  noSuchResource,
  notFound,
  selectorText,
} from '../meta/index.ts'
import { applyJsonPatch, applyMergePatch, applyStrategicMerge } from '../patch/index.ts'
import { type Core, updateObject } from '../resources/index.ts'
import { type ApiCall, type Body, requireBody } from './api-call.ts'
import { decodeBody, expectType, settleName } from './decode-call-body.ts'
import { readWriteOptions, type WriteOptions, writeContext } from './write-options.ts'

/** Where a Scale itself has the number that is wanted. */
const WANTED = 'spec.replicas'

const selectorOf = (object: KubeObject, paths: ScalePaths): string => {
  const selector = scaleSelectorOf(object, paths)
  return typeof selector === 'object' ? selectorText(selector) : (selector ?? '')
}

export const toScale = (object: KubeObject, paths: ScalePaths): KubeObject => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = countAtPath(object, paths.spec)
  const selector = selectorOf(object, paths)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: countAtPath(object, paths.status), ...(selector === '' ? {} : { selector }) },
  }
}

const scaled = (call: ApiCall, body: Body, current: KubeObject): Body => {
  switch (call.patchType) {
    case undefined:
      return body
    case 'json':
      return { value: applyJsonPatch(current, body.value) }
    case 'strategic':
      return {
        value: applyStrategicMerge(expectType('autoscaling', 'v1', 'Scale').schema, current, body.value),
      }
    default:
      return { value: applyMergePatch(current, body.value) }
  }
}

/** The scale that a request asks for, checked. */
const wantedScale = (call: ApiCall, current: KubeObject, { validation }: WriteOptions): KubeObject => {
  const { warnings } = call
  const body = scaled(call, requireBody(call), current)
  const scale = decodeBody(expectType('autoscaling', 'v1', 'Scale'), body, { validation, warnings })
  settleName(call, scale)
  if (countAtPath(scale, WANTED) < 0) {
    throw invalidObject('autoscaling', 'Scale', call.name, [
      invalid('spec.replicas', scale.spec.replicas, 'must be greater than or equal to 0'),
    ])
  }
  return scale
}

/** Serves GET, PUT and PATCH of `/scale`. */
export const serveScale = (core: Core, call: ApiCall): KubeObject => {
  const kind: Kind = call.served.kind
  if (kind.scale === undefined) throw noSuchResource()
  const old = core.store.get(kind.id, call.namespace, call.name)
  if (old === undefined) throw notFound(kind, call.name)
  const current = toScale(old, kind.scale)
  if (call.verb === 'get') return current
  const options = readWriteOptions(call)
  const wanted = wantedScale(call, current, options)
  const { metadata } = wanted
  const draft = withValueAtPath(old, kind.scale.spec, countAtPath(wanted, WANTED))
  draft.metadata.uid = metadata.uid || old.metadata.uid
  draft.metadata.resourceVersion = metadata.resourceVersion || old.metadata.resourceVersion
  return toScale(updateObject(core, kind, draft, old, writeContext(call, options), 'scale'), kind.scale)
}
