/** The `scale` subresource: one small object for everything that has replicas. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { cloneJson } from '../../kit/index.ts'
import type { Kind, ScalePaths } from '../kinds/index.ts'
import {
  badRequest,
  invalid,
  invalidObject,
  type KubeObject,
  noSuchResource,
  notFound,
  selectorText,
} from '../meta/index.ts'
import { applyJsonPatch, applyMergePatch } from '../patch/index.ts'
import { type Core, updateObject } from '../resources/index.ts'
import type { ApiCall } from './api-call.ts'
import { missingBody } from './decode-call-body.ts'
import { readWriteOptions } from './write-options.ts'

const parts = (path: string): string[] => path.split('.').filter((part) => part !== '')

const read = (object: KubeObject, path: string): unknown => {
  let value: unknown = object
  for (const part of parts(path)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

/** A copy of `object` with the value at `path` replaced. */
const written = (object: KubeObject, path: string, value: unknown): KubeObject => {
  const copy = cloneJson(object)
  const steps = parts(path)
  let at: Record<string, unknown> = copy
  for (const step of steps.slice(0, -1)) {
    at[step] ??= {}
    at = at[step] as Record<string, unknown>
  }
  at[steps.at(-1)!] = value
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

const wantedReplicas = (call: ApiCall, scale: unknown): number => {
  const spec = (scale as { spec?: { replicas?: unknown } } | null)?.spec
  const replicas = spec?.replicas ?? 0
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    throw badRequest(
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`,
    )
  }
  if (replicas < 0) {
    throw invalidObject('autoscaling', 'Scale', call.name, [
      invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
  }
  return replicas
}

const scaled = (call: ApiCall, current: KubeObject): unknown => {
  const value = call.body!.value
  if (call.verb === 'update') return value
  return call.patchType === 'json' ? applyJsonPatch(current, value) : applyMergePatch(current, value)
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
  if (call.body === undefined) throw missingBody()
  const next = scaled(call, current) as KubeObject
  const replicas = wantedReplicas(call, next)
  const draft = written(old, kind.scale.spec, replicas)
  const version = next.metadata?.resourceVersion
  draft.metadata.resourceVersion =
    version !== undefined && version !== '' ? version : old.metadata.resourceVersion
  const context = { user: call.user, manager: options.manager, dryRun: options.dryRun }
  return toScale(updateObject(core, kind, draft, old, context, 'scale'), kind.scale)
}
