/** A request as the API understands it, whether it came over HTTP or from this process. */
import type { User } from '../ports/index.ts'
import type { Served } from '../resources/index.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

/** A body that has been read but not yet checked against a schema. */
export interface Body {
  value: unknown
  /** The text it came from, where duplicate fields can still be found. */
  text?: string
}

export interface ApiCall {
  user: User
  verb: Verb
  served: Served
  namespace: string
  name: string
  subresource: string
  query: URLSearchParams
  /** Present on create, update, patch and often on delete. */
  body?: Body
  patchType?: PatchType
  userAgent: string
  /** Collects texts for `Warning` headers. */
  warnings: string[]
}

/** Go's idea of a boolean in a query: `1`, `t`, `True` ...; Ansible writes Python's. */
export const isTrue = (value: string | null): boolean =>
  value !== null && ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)
