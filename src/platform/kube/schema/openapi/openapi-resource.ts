/** The input of an OpenAPI document: the resources of one group version. */
import { createHash } from 'node:crypto'
import type { GroupVersionKind } from '../schema.ts'

export interface OpenApiSubresource {
  /** `status`, `scale`, `eviction`, `log`, `exec` ... */
  readonly name: string
  /** The type of its objects: autoscaling/v1 `Scale`, or the type of the resource. */
  readonly kind: GroupVersionKind
  /** Discovery verbs: `get`, `patch`, `update`, `create`. */
  readonly verbs: readonly string[]
}

export interface OpenApiResource {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly subresources?: readonly OpenApiSubresource[]
  /** The `openAPIV3Schema` of a custom resource. */
  readonly schema?: unknown
  /** The fields of a custom resource that field selectors can name. */
  readonly selectableFields?: readonly string[]
}

export interface OpenApiGroupVersion {
  readonly group: string
  readonly version: string
  readonly resources: readonly OpenApiResource[]
}

/** Returns `api/v1` or `apis/apps/v1`. */
export const pathOf = ({ group, version }: OpenApiGroupVersion): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`

/** The `info` member of every document. */
export const INFO = { title: 'Kubernetes', version: '1.32' } as const

/** Hashes the input of a document. The index lists hashes before the documents are built. */
export const hashOf = (source: unknown): string =>
  createHash('sha512')
    .update(JSON.stringify([INFO.version, source]))
    .digest('hex')
    .toUpperCase()
