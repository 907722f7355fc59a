/** What an OpenAPI document is made from: the resources of one group version. */
import { createHash } from 'node:crypto'
import type { GroupVersionKind } from './schema.ts'

export interface OpenApiSubresource {
  /** `status`, `scale`, `eviction`, `log`, `exec` ... */
  readonly name: string
  /** The type that it reads and writes: `Scale` in autoscaling/v1, or the resource's own. */
  readonly kind: GroupVersionKind
  /** As discovery lists them: `get`, `patch`, `update`, `create`. */
  readonly verbs: readonly string[]
}

export interface OpenApiResource {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly subresources?: readonly OpenApiSubresource[]
  /** Of a custom resource: its `openAPIV3Schema` as the definition has it. */
  readonly schema?: unknown
}

export interface OpenApiGroupVersion {
  readonly group: string
  readonly version: string
  readonly resources: readonly OpenApiResource[]
}

/** `api/v1` or `apis/apps/v1`. */
export const pathOf = ({ group, version }: OpenApiGroupVersion): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`

/** How every document introduces itself. */
export const INFO = { title: 'Kubernetes', version: '1.32' } as const

/** What a document depends on: documents are only made when asked for, but their hashes are wanted before. */
export const hashOf = (source: unknown): string =>
  createHash('sha512')
    .update(JSON.stringify([INFO.version, source]))
    .digest('hex')
    .toUpperCase()
