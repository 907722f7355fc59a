/** The declaration of one kind of API object: names, defaults, validation, table columns. */
import type { FieldError, KubeObject, Stored } from '#platform/kube/meta'
import type { ObjectSchema } from '#platform/kube/schema'

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

/** A column of `kubectl get`. Priority 0 is always shown; priority 1 only with `-o wide`. */
export interface Column {
  name: string
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  format?: string
  description: string
  priority: 0 | 1
}

export type Cell = string | number | boolean | null

export interface RowCondition {
  type: 'Completed'
  status: 'True'
  reason: string
  message: string
}

export interface PrintContext {
  /** The current time in milliseconds since the epoch. Ages are relative to it. */
  now: number
}

/** The context of a kind's strategy functions. They are pure apart from the time. */
export interface StrategyContext {
  now: number
}

/** The paths of the `scale` subresource, as in a CustomResourceDefinition. */
export interface ScalePaths {
  spec: string
  status: string
  /** Path of the selector. Custom resources store it as a string, built-in kinds as a LabelSelector. */
  selector?: string
}

/** A further API version that serves the same stored objects. */
export interface ServedVersion {
  group: string
  version: string
  /** Converts from the stored form. */
  toServed(object: KubeObject): KubeObject
  /** Converts to the stored form, before defaults are set. */
  fromServed(object: KubeObject): KubeObject
  /** Maps field selectors of this version to those of the stored version. */
  fieldNames?: Readonly<Record<string, string>>
  /** The Warning header in every response of this version. */
  warning?: string
  /** The table of this version, computed from the stored form. By default, the table of the kind. */
  table?: { columns: readonly Column[]; row(object: KubeObject, context: PrintContext): Cell[] }
}

export interface KindDefinition<T = any> {
  group: string
  version: string
  kind: string
  plural: string
  singular: string
  shortNames?: readonly string[]
  categories?: readonly string[]
  namespaced: boolean
  /** By default, all eight verbs. */
  verbs?: readonly Verb[]
  /** The kind has a `status` subresource: main writes ignore `status`, and `/status` writes ignore everything else. */
  hasStatus: boolean
  scale?: ScalePaths
  /** Changes to `spec` increment `metadata.generation`. */
  hasGeneration?: boolean
  otherVersions?: readonly ServedVersion[]
  /** The Warning header in every response of the stored version. */
  warning?: string
  /** Returns the grace period of a deletion in seconds. With 0, or if omitted, the object is deleted immediately. */
  gracefulDeletion?(object: Stored<T>, requested: number | undefined): number
  /** A deletion returns the deleted object instead of a Status. */
  returnsDeleted?: boolean
  /** PUT creates the object if it does not exist. */
  allowCreateOnUpdate?: boolean
  /** Rejects updates without a resource version. */
  requireResourceVersion?: boolean
  /** The deletion propagation if the client specifies none. By default `Background`. */
  defaultPropagation?: 'Background' | 'Orphan'
  /** The schema of a custom resource. The schemas of built-in kinds are in the schema room. */
  schema?: ObjectSchema
  /** The `openAPIV3Schema` of the CustomResourceDefinition, for OpenAPI documents. */
  openApiSchema?: unknown
  /** The syntax of object names. By default `subdomain`; RBAC kinds use `path-segment`. */
  nameRule?: 'subdomain' | 'label' | 'label-1035' | 'path-segment'
  /** Allows finalizers without a domain prefix. */
  allowUnqualifiedFinalizers?: boolean
  /** Sets defaults on the draft in place. The draft is not shared. */
  defaults?(draft: Stored<T>): void
  /** Runs on creation, after defaults. Sets the initial status, and drops fields that clients must not set. */
  prepareCreate?(draft: Stored<T>, context: StrategyContext): void
  /** Runs on update, after defaults. Restores fields that clients must not change. Must not change `old`. */
  prepareUpdate?(draft: Stored<T>, old: Stored<T>, context: StrategyContext): void
  /** Updates an object whose deletion is pending. Only `metadata` may be changed in place; other parts must be replaced. */
  prepareDelete?(draft: Stored<T>, context: StrategyContext): void
  /** Whether something other than finalizers and the grace period blocks a pending deletion. */
  isDeletionBlocked?(object: Stored<T>): boolean
  /** Completes the status on a status write. Must replace `status`, because its parts may belong to stored objects. */
  completeStatus?(draft: Stored<T>): void
  /**
   * Validates the whole object and, if `old` is given, the change (immutable fields). `apiVersion` is the version that
   * the client wrote; by default, the stored version.
   */
  validate?(object: Stored<T>, old: Stored<T> | undefined, apiVersion?: string): FieldError[]
  /** Returns Warning headers for an accepted object. */
  warnings?(object: Stored<T>, old: Stored<T> | undefined): string[]
  /** Validates a status write. */
  validateStatus?(object: Stored<T>, old: Stored<T>): FieldError[]
  columns: readonly Column[]
  row(object: Stored<T>, context: PrintContext): Cell[]
  /** Returns the conditions of the table row, which say whether the object is completed. */
  rowConditions?(object: Stored<T>): RowCondition[]
  /** The fields that field selectors support beyond `metadata.name` and `metadata.namespace`, with their values. */
  selectableFields?(object: Stored<T>): Record<string, string>
  /** Maps the fields that this version supports to the stored fields. By default, it supports all of them. */
  fieldNames?: Readonly<Record<string, string>>
}

/** A kind, typed by its objects. Other rooms use it to refer to the kind. */
export interface Kind<T = any> extends KindDefinition<T> {
  /** `apps/v1`, or `v1` in the core group. */
  readonly apiVersion: string
  /** A unique ID, such as `apps/deployments`; the key in the store. */
  readonly id: string
}

export const defineKind = <T>(definition: KindDefinition<T>): Kind<T> => ({
  ...definition,
  apiVersion: definition.group === '' ? definition.version : `${definition.group}/${definition.version}`,
  id: definition.group === '' ? definition.plural : `${definition.group}/${definition.plural}`,
})
