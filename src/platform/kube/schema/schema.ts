/** The schema types of API objects, which decoding, patching, apply and OpenAPI use. */

export interface ScalarSchema {
  readonly type: 'string' | 'integer' | 'number' | 'boolean'
  /** `int32`, `int64`, `double`, `date-time` (a Time or MicroTime), `byte` (base64). */
  readonly format?: string
  /** A `date-time` with microseconds (MicroTime). */
  readonly microseconds?: boolean
  readonly nullable?: boolean
}

/** `IntOrString` and `Quantity`: JSON numbers or strings. */
export interface FlexibleSchema {
  readonly type: 'int-or-string' | 'quantity'
}

/** Any JSON value, stored unchanged (RawExtension, JSON, preserved unknown fields). */
export interface AnySchema {
  readonly type: 'any'
}

/** The Go type of a field in kube-apiserver. */
export interface GoField {
  /** The name in decoding errors: `int32`, `v1.RestartPolicy`, `[]v1.Container`. */
  readonly type: string
  /** The encoding of a zero value: omitted, always written, or kept if the client sent it. */
  readonly zero: 'drop' | 'fill' | 'keep'
}

export interface ObjectSchema {
  readonly type: 'object'
  /** The definition name, such as `io.k8s.api.core.v1.PodSpec`; undefined in custom resources. */
  readonly name?: string
  readonly fields: ReadonlyMap<string, Schema>
  readonly required: readonly string[]
  /** The Go types of the fields; undefined in custom resources. */
  readonly goFields?: ReadonlyMap<string, GoField>
  /** Apply replaces the value instead of merging it. */
  readonly atomic?: boolean
  /** Strategic merge: fields not named in the patch's `$retainKeys` are dropped. */
  readonly retainKeys?: boolean
  /** Keeps unknown fields (`x-kubernetes-preserve-unknown-fields`). */
  readonly preserveUnknown?: boolean
  /** An embedded object with apiVersion, kind and metadata (`x-kubernetes-embedded-resource`). */
  readonly embedded?: boolean
}

export interface MapSchema {
  readonly type: 'map'
  readonly values: Schema
  readonly atomic?: boolean
}

export interface ListSchema {
  readonly type: 'list'
  readonly items: Schema
  /** How apply merges the list. */
  readonly merge: 'atomic' | 'set' | 'map'
  /** Keys of a `map` list. `keyDefaults` holds the values of omitted ones (protocol: TCP, name: ''). */
  readonly keys: readonly string[]
  readonly keyDefaults?: Readonly<Record<string, unknown>>
  /** Strategic merge: the key that identifies elements. An empty string means a set of scalars. */
  readonly patchMergeKey?: string
}

export type Schema = ScalarSchema | FlexibleSchema | AnySchema | ObjectSchema | MapSchema | ListSchema

/** Identifies an API type. */
export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}
