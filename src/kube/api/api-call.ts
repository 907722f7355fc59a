/** A request as the API understands it, whether it came over HTTP or from this process. */
import { badRequest } from '../meta/index.ts'
import type { User } from '../ports/index.ts'
import type { Served } from '../resources/index.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

/** A body that has been read but not yet checked against a schema. */
export interface Body {
  value: unknown
  /** The JSON text it came from, where duplicate fields can still be found. */
  text?: string
  /** Of YAML: one text for each key that is given twice. */
  repeated?: readonly string[]
  /** Says the body in short, for messages; absent where it never was bytes. */
  summary?: string
}

const STREAMS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward'])

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

/** Whether these are requests for a stream into a pod. */
export const isStream = (group: string, plural: string, subresource: string): boolean =>
  group === '' && plural === 'pods' && STREAMS.has(subresource)

/** A flag in a query is set by any value but `false` and `0`, even by none; Ansible writes Python's `True`. */
export const isTrue = (value: string | null): boolean =>
  value !== null && value !== '0' && value.toLowerCase() !== 'false'

/** The body of a call that cannot do without. */
export const requireBody = ({ body }: ApiCall): Body => {
  if (body === undefined) throw badRequest('unexpected end of JSON input')
  return body
}
