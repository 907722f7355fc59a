/** Resources that are served but not stored: reviews and metrics. */
import type { KubeObject } from '#platform/kube/meta'
import type { User } from '#platform/kube/ports'
import type { Body, Verb } from '../request/api-call.ts'

export interface VirtualCall {
  user: User
  verb: Verb
  namespace: string
  name: string
  query: URLSearchParams
  body: Body | undefined
}

export interface VirtualResource {
  group: string
  version: string
  plural: string
  singular: string
  kind: string
  namespaced: boolean
  verbs: readonly Verb[]
  shortNames?: readonly string[]
  serve(call: VirtualCall): { code: number; object: KubeObject | Record<string, unknown> }
}
