/** Resources that are asked and answered but never stored: reviews, bindings, metrics. */
import type { KubeObject } from '../meta/index.ts'
import type { User } from '../ports/index.ts'
import type { Body, Verb } from './api-call.ts'

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
