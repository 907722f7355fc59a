/** What the API server knows about one kind of object. */
import type { FieldError, KubeObject, Stored } from '../meta/index.ts'
import type { ObjectSchema } from '../schema/index.ts'

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

/** A column of `kubectl get`. Priority 0 is always shown, 1 only with `-o wide`. */
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
  /** Milliseconds since the epoch: ages are relative to it. */
  now: number
}

/** What a kind may ask while it defaults and validates: nothing but time and chance. */
export interface StrategyContext {
  now: number
}

/** Where `scale` finds its numbers, as in a CustomResourceDefinition. */
export interface ScalePaths {
  spec: string
  status: string
  /** Path of a string form of the selector; built-in kinds with a LabelSelector use `spec.selector`. */
  selector?: string
}

/** Another API version in which the same stored objects are served. */
export interface ServedVersion {
  group: string
  version: string
  /** From the stored form. */
  toServed(object: KubeObject): KubeObject
  /** To the stored form, before defaults. */
  fromServed(object: KubeObject): KubeObject
  /** What this version calls the fields that objects are selected by, and what the stored form calls them. */
  fieldNames?: Readonly<Record<string, string>>
  /** Said to everybody who uses this version. */
  warning?: string
  /** Its own columns and their cells, from the stored form; those of the kind where absent. */
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
  /** All eight where absent. */
  verbs?: readonly Verb[]
  /** Whether writes to the object leave `status` alone and writes to `/status` leave everything else alone. */
  hasStatus: boolean
  scale?: ScalePaths
  /** `spec` changes raise `metadata.generation`. */
  hasGeneration?: boolean
  otherVersions?: readonly ServedVersion[]
  /** Said to everybody who uses the stored version. */
  warning?: string
  /** How long clients must wait for a deletion that they do not force; 0 or absent: deleted at once. */
  gracefulDeletion?(object: Stored<T>, requested: number | undefined): number
  /** Answers a deletion with the deleted object instead of a Status. */
  returnsDeleted?: boolean
  /** PUT creates what is not there. */
  createOnUpdate?: boolean
  /** Updates without a resource version are refused. */
  conditionalUpdate?: boolean
  /** What happens to dependents when the client does not say; `Background` where absent. */
  defaultPropagation?: 'Background' | 'Orphan'
  /** The shape of custom resources; built-in kinds have theirs in the schema room. */
  schema?: ObjectSchema
  /** The same as its definition wrote it, for OpenAPI documents. */
  openApiSchema?: unknown
  /** How names must look: `subdomain` (default), `label`, `path-segment` (RBAC), or its own check. */
  nameRule?: 'subdomain' | 'label' | 'label-1035' | 'path-segment'
  /** Finalizers need not say whose they are. */
  freeFinalizers?: boolean
  /** Fills in what the client left out. Changes the draft it is given, which nobody else holds. */
  defaults?(draft: Stored<T>): void
  /** On creation, after defaults: sets what only the server sets (initial status), drops what clients may not set. */
  prepareCreate?(draft: Stored<T>, context: StrategyContext): void
  /** On update, after defaults: keeps what clients may not change. `draft` is nobody else's; `old` is stored. */
  prepareUpdate?(draft: Stored<T>, old: Stored<T>, context: StrategyContext): void
  /** What else becomes of an object that is asked to go. Its metadata is nobody else's; other parts are replaced. */
  markDeleted?(draft: Stored<T>, context: StrategyContext): void
  /** Whether something beside finalizers and grace still holds an object that was asked to go. */
  isHeld?(object: Stored<T>): boolean
  /** On a change of status alone: completes it. Stored objects may share parts of the status: it is replaced. */
  completeStatus?(draft: Stored<T>): void
  /**
   * Findings on the whole object; with `old`, on the change too (immutable fields). `apiVersion` is the served version
   * through which the write came; absent: the stored one.
   */
  validate?(object: Stored<T>, old: Stored<T> | undefined, apiVersion?: string): FieldError[]
  /** What clients should know of an object that is accepted all the same. */
  warnings?(object: Stored<T>, old: Stored<T> | undefined): string[]
  /** Findings on a change of status alone. */
  validateStatus?(object: Stored<T>, old: Stored<T>): FieldError[]
  columns: readonly Column[]
  row(object: Stored<T>, context: PrintContext): Cell[]
  /** What is to be said of the row as a whole: that the object is done with. */
  rowConditions?(object: Stored<T>): RowCondition[]
  /** Field selectors beyond `metadata.name` and `metadata.namespace`, with the object's values as strings. */
  selectableFields?(object: Stored<T>): Record<string, string>
}

/** A kind with its type: the token by which everything in the room names it. */
export interface Kind<T = any> extends KindDefinition<T> {
  /** `apps/v1`, or `v1` in the core group. */
  readonly apiVersion: string
  /** `apps/deployments`: unique, and the key of the store's shelf. */
  readonly id: string
}

export const defineKind = <T>(definition: KindDefinition<T>): Kind<T> => ({
  ...definition,
  apiVersion: definition.group === '' ? definition.version : `${definition.group}/${definition.version}`,
  id: definition.group === '' ? definition.plural : `${definition.group}/${definition.plural}`,
})
