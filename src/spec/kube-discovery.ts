/** The discovery and the tables of a Kubernetes API, which clients such as kubectl use in addition to objects. */
import type { ApiObject, ResourceRef } from './kube-api.ts'

/** A resource as the discovery documents list it. */
export interface ServedResource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** Names such as `scale` and `log`. */
  readonly subresources: readonly string[]
  /** Whether this is the preferred version of its group. */
  readonly isPreferred: boolean
}

export interface TableColumn {
  readonly name: string
  /** Columns with a priority above 0 are shown on request only. */
  readonly priority: number
}

export interface ObjectTable {
  readonly columns: readonly TableColumn[]
  /** One row for each object. */
  readonly rows: readonly (readonly (string | number | boolean | null)[])[]
}

export interface KubeDiscovery {
  /** In the order of the discovery documents: by group, preferred versions first, then by name. */
  resources(): readonly ServedResource[]
  /** The table of these objects, as `kubectl get` requests it from the server. */
  table(ref: ResourceRef, objects: readonly ApiObject[]): ObjectTable
  readonly version: { readonly major: string; readonly minor: string; readonly gitVersion: string }
}
