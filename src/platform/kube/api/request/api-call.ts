/** A request to the API, independent of its transport (HTTP or in process). */
import { badRequest } from '#platform/kube/meta'
import type { User } from '#platform/kube/ports'
import type { Served } from '#platform/kube/resources'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

export const MUTATING_VERBS: ReadonlySet<Verb> = new Set([
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
])

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

/** A parsed body, not yet checked against a schema. */
export interface Body {
  value: unknown
  /** The original JSON text, used to find duplicate fields. */
  text?: string
  /** YAML only: one message for each duplicate key. */
  repeated?: readonly string[]
  /** The start of the body, for error messages; undefined for an in-process body. */
  summary?: string
}

const STREAM_SUBRESOURCES: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward'])

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
  /** Collects the messages of `Warning` headers. */
  warnings: string[]
}

/** Whether the subresource is a stream into a pod (exec, attach or portforward). */
export const isStream = (group: string, plural: string, subresource: string): boolean =>
  group === '' && plural === 'pods' && STREAM_SUBRESOURCES.has(subresource)

/**
 * Whether a query flag is set: every value except `0` and `false`, in upper or lower case (Ansible sends `True`).
 * An empty value counts as true.
 */
export const isTrue = (value: string | null): boolean =>
  value !== null && value !== '0' && value.toLowerCase() !== 'false'

/** Returns the body; throws BadRequest if there is none. */
export const requireBody = ({ body }: ApiCall): Body => {
  if (body === undefined) throw badRequest('unexpected end of JSON input')
  return body
}
