/** The `scale` subresource: one small object for everything that has replicas. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { cloneJson } from '../../kit/index.ts'
import type { Kind, ScalePaths } from '../kinds/index.ts'
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

const parts = (path: string): string[] => path.split('.').filter((part) => part !== '')

const read = (object: KubeObject, path: string): unknown => {
  let value: unknown = object
  for (const part of parts(path)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.hasOwn(value, part) ? (value as Record<string, unknown>)[part] : undefined
  }
  return value
}

/** A copy of `object` with the value at `path` replaced. */
const written = (object: KubeObject, path: string, value: unknown): KubeObject => {
  const copy = cloneJson(object)
  const steps = parts(path)
  let at: Record<string, unknown> = copy
  for (const step of steps.slice(0, -1)) {
    // Own members only: a path that somebody defined must not lead into what all objects share.
    if (!Object.hasOwn(at, step) || typeof at[step] !== 'object' || at[step] === null)
      Object.defineProperty(at, step, { value: {}, enumerable: true, writable: true, configurable: true })
    at = at[step] as Record<string, unknown>
  }
  Object.defineProperty(at, steps.at(-1)!, { value, enumerable: true, writable: true, configurable: true })
  return copy
}

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Built-in kinds hold a selector object, custom ones a text. */
const selectorOf = (object: KubeObject, { selector }: ScalePaths): string => {
  const value = selector === undefined ? undefined : read(object, selector)
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  const isLabelSelector = 'matchLabels' in value || 'matchExpressions' in value
  return selectorText(
    isLabelSelector ? (value as LabelSelector) : { matchLabels: value as Record<string, string> },
  )
}

export const toScale = (object: KubeObject, paths: ScalePaths): KubeObject => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = count(read(object, paths.spec))
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
    status: { replicas: count(read(object, paths.status)), ...(selector === '' ? {} : { selector }) },
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
  if (count(scale.spec?.replicas) < 0) {
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
  const { spec, metadata } = wantedScale(call, current, options)
  const draft = written(old, kind.scale.spec, count(spec?.replicas))
  draft.metadata.uid = metadata.uid || old.metadata.uid
  draft.metadata.resourceVersion = metadata.resourceVersion || old.metadata.resourceVersion
  return toScale(updateObject(core, kind, draft, old, writeContext(call, options), 'scale'), kind.scale)
}
