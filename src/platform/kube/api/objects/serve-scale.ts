/** Implements the `scale` subresource. */
import { defined } from '#kit'
import {
  type Kind,
  readCountAtPath,
  type ScalePaths,
  scaleSelectorOf,
  withValueAtPath,
} from '#platform/kube/kinds'
import {
  invalid,
  invalidObject,
  type KubeObject,
  noSuchResource,
  notFound,
  selectorText,
} from '#platform/kube/meta'
import { applyJsonPatch, applyMergePatch, applyStrategicMerge } from '#platform/kube/patch'
import { type Core, updateObject } from '#platform/kube/resources'
import { type ApiCall, type Body, requireBody } from '../request/api-call.ts'
import { checkName, decodeBody, expectType } from '../request/decode-call-body.ts'
import { readWriteOptions, type WriteOptions, writeContext } from '../request/write-options.ts'
import { decodePatched } from './decode-patched.ts'

/** The path of the desired replicas in a Scale. */
const REPLICAS_PATH = 'spec.replicas'

const selectorOf = (object: KubeObject, paths: ScalePaths): string => {
  const selector = scaleSelectorOf(object, paths)
  return typeof selector === 'object' ? selectorText(selector) : (selector ?? '')
}

export const toScale = (object: KubeObject, paths: ScalePaths): KubeObject => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = readCountAtPath(object, paths.spec)
  const selector = selectorOf(object, paths)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...defined({ namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: readCountAtPath(object, paths.status), ...(selector === '' ? {} : { selector }) },
  }
}

const applyPatch = (call: ApiCall, body: Body, current: KubeObject): Body => {
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

/** Decodes and validates the Scale of a PUT or PATCH. */
const decodeScale = (call: ApiCall, current: KubeObject, { validation }: WriteOptions): KubeObject => {
  const { warnings } = call
  const body = applyPatch(call, requireBody(call), current)
  const expected = expectType('autoscaling', 'v1', 'Scale')
  const scale =
    call.patchType === undefined
      ? decodeBody(expected, body, { validation, warnings })
      : decodePatched(call, expected, body, { validation, warnings })
  checkName(call, scale)
  if (readCountAtPath(scale, REPLICAS_PATH) < 0) {
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
  const desired = decodeScale(call, current, options)
  const { metadata } = desired
  const draft = withValueAtPath(old, kind.scale.spec, readCountAtPath(desired, REPLICAS_PATH))
  draft.metadata.uid = metadata.uid || old.metadata.uid
  draft.metadata.resourceVersion = metadata.resourceVersion || old.metadata.resourceVersion
  return toScale(
    updateObject(core, { kind, object: draft, old, scope: 'scale' }, writeContext(call, options)),
    kind.scale,
  )
}
