/** The port of admission: what may still change or refuse a write that RBAC has let through. */
import type { Kind } from '../kinds/index.ts'
import type { KubeObject } from '../meta/index.ts'
import type { Client } from './client.ts'
import type { User } from './user.ts'

export interface AdmissionRequest {
  operation: 'CREATE' | 'UPDATE' | 'DELETE'
  kind: Kind
  subresource: string | undefined
  namespace: string
  name: string
  /** The draft, which `admit` may change in place; absent on DELETE. */
  object: KubeObject | undefined
  /** The stored object; absent on CREATE. */
  old: KubeObject | undefined
  user: User
  dryRun: boolean
  /** Reads, and in `book` the few writes that belong to admission. */
  client: Client
  now: number
  /** Adds a `Warning` header to the answer. */
  warn(message: string): void
}

export interface AdmissionPlugin {
  name: string
  /** Changes the draft. Runs for all plugins before any `validate`. */
  admit?(request: AdmissionRequest): void
  /** Throws ApiError to refuse, and changes nothing. */
  validate?(request: AdmissionRequest): void
  /** Books a write that nobody refuses any more, just before it is stored; not when it is but tried. */
  book?(request: AdmissionRequest): void
}
