/** The port of admission plugins, which change or reject authorised writes. */
import type { Kind } from '#platform/kube/kinds'
import type { KubeObject } from '#platform/kube/meta'
import type { Client } from './client.ts'
import type { User } from './user.ts'

export interface AdmissionRequest {
  operation: 'CREATE' | 'UPDATE' | 'DELETE'
  kind: Kind
  subresource: string | undefined
  namespace: string
  name: string
  /** The draft, which `admit` may change in place; undefined on DELETE. */
  object: KubeObject | undefined
  /** The stored object; undefined on CREATE. */
  old: KubeObject | undefined
  user: User
  dryRun: boolean
  /** For reads, and in `commit` for the few writes of admission. */
  client: Client
  now: number
  /** Adds a `Warning` header to the response. */
  warn(message: string): void
}

export interface AdmissionPlugin {
  name: string
  /** Changes the draft. Runs for all plugins before any `validate`. */
  admit?(request: AdmissionRequest): void
  /** Throws ApiError to reject the write. Must not change the draft. */
  validate?(request: AdmissionRequest): void
  /** Accounts for an accepted write just before it is stored. Not called on a dry run. */
  commit?(request: AdmissionRequest): void
}
