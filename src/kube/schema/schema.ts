/** The shape of a value in an API object: decoding, patching, apply and OpenAPI all walk along it. */

export interface ScalarSchema {
  readonly type: 'string' | 'integer' | 'number' | 'boolean'
  /** `int32`, `int64`, `double`, `date-time` (a Time or MicroTime), `byte` (base64). */
  readonly format?: string
  /** A `date-time` with six decimals of a second (MicroTime); others have none. */
  readonly microseconds?: boolean
  readonly nullable?: boolean
}

/** `IntOrString` and `Quantity`: values that JSON writes as a number or as a string. */
export interface FlexibleSchema {
  readonly type: 'int-or-string' | 'quantity'
}

/** Anything at all, kept as it is (RawExtension, JSON, preserved unknown fields). */
export interface AnySchema {
  readonly type: 'any'
}

/** How the server's own (Go) type holds a field. */
export interface GoField {
  /** As decoding errors name it: `int32`, `v1.RestartPolicy`, `[]v1.Container`. */
  readonly type: string
  /** What becomes of a zero value: left out, written even when the client sent nothing, or kept as sent. */
  readonly zero: 'drop' | 'fill' | 'keep'
}

export interface ObjectSchema {
  readonly type: 'object'
  /** Definition name such as `io.k8s.api.core.v1.PodSpec`; absent in custom resources. */
  readonly name?: string
  readonly fields: ReadonlyMap<string, Schema>
  readonly required: readonly string[]
  /** The same fields as Go holds them; absent in custom resources, which have no Go type. */
  readonly goFields?: ReadonlyMap<string, GoField>
  /** Replaced as a whole by apply, never merged. */
  readonly atomic?: boolean
  /** Strategic merge: fields not named in the patch's `$retainKeys` are dropped. */
  readonly retainKeys?: boolean
  /** Fields that are not listed are kept (custom resources that say so). */
  readonly preserveUnknown?: boolean
  /** An embedded object with its own apiVersion, kind and metadata (custom resources that say so). */
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
  /** How apply merges it. */
  readonly merge: 'atomic' | 'set' | 'map'
  /** Keys of a `map` list; those with a default have it in `keyDefaults` (protocol: TCP). */
  readonly keys: readonly string[]
  readonly keyDefaults?: Readonly<Record<string, unknown>>
  /** Strategic merge: elements are merged by this field; an empty string means a merged set of scalars. */
  readonly patchMergeKey?: string
}

export type Schema = ScalarSchema | FlexibleSchema | AnySchema | ObjectSchema | MapSchema | ListSchema

/** Says which API type is meant. */
export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}
