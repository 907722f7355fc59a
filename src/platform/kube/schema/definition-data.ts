/** Reads data/definitions.json, which scripts/build-schema.ts generates. The file is loaded on first use. */
import { readFileSync } from 'node:fs'
import type { GroupVersionKind } from './schema.ts'

export interface FieldExtras {
  /** x-kubernetes-list-type */
  readonly l?: 'atomic' | 'set' | 'map'
  /** x-kubernetes-list-map-keys */
  readonly k?: readonly string[]
  /** x-kubernetes-map-type */
  readonly a?: 'atomic' | 'granular'
  /** x-kubernetes-patch-merge-key */
  readonly m?: string
  /** x-kubernetes-patch-strategy */
  readonly s?: string
  /** The values of an enum. */
  readonly e?: readonly string[]
  /** The default that OpenAPI publishes. */
  readonly d?: unknown
  /** The Go type, if it cannot be derived from the field's type. */
  readonly g?: string
}

/** `number` is the protobuf field number: a path if protobuf nests what JSON inlines, 0 if the field is not in protobuf. */
export type FieldData = readonly [type: string, number: number | readonly number[], extras?: FieldExtras]

export interface DefinitionData {
  /** `group/version/Kind` of each API type with this definition. */
  readonly k?: readonly string[]
  /** The required fields. */
  readonly r?: readonly string[]
  /** x-kubernetes-map-type */
  readonly a?: 'atomic'
  /** x-kubernetes-unions */
  readonly u?: readonly unknown[]
  /** The patch strategy is retainKeys. */
  readonly t?: 1
  /** The fields by name. */
  readonly f: Readonly<Record<string, FieldData>>
}

/** The parts of a field type such as `*[]core.v1.Container!`. */
export interface FieldType {
  readonly pointer: boolean
  readonly shape: 'one' | 'list' | 'map'
  /** A key of {@link WORD_DEFINITIONS}, a scalar, or the short name of a definition; may start with `[]`. */
  readonly elementType: string
  /** Go omits the zero value from JSON. */
  readonly omitEmpty: boolean
}

/** The OpenAPI definitions of the types to which the data refers by a single word. */
export const WORD_DEFINITIONS: Readonly<Record<string, string>> = {
  time: 'meta.v1.Time',
  'micro-time': 'meta.v1.MicroTime',
  duration: 'meta.v1.Duration',
  fields: 'meta.v1.FieldsV1',
  raw: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'int-or-string': 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  json: 'apiextensions.v1.JSON',
  'schema-or-schemas': 'apiextensions.v1.JSONSchemaPropsOrArray',
  'schema-or-bool': 'apiextensions.v1.JSONSchemaPropsOrBool',
  'schema-or-strings': 'apiextensions.v1.JSONSchemaPropsOrStringArray',
}

const PACKAGES: Readonly<Record<string, string>> = {
  meta: 'io.k8s.apimachinery.pkg.apis.meta',
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  metrics: 'io.k8s.metrics.pkg.apis.metrics',
}

let loaded: ReadonlyMap<string, DefinitionData> | undefined
let kinds: ReadonlyMap<string, string> | undefined

/** Returns all definitions by short name, such as `core.v1.Pod`. */
export const definitionData = (): ReadonlyMap<string, DefinitionData> => {
  loaded ??= new Map(
    Object.entries(JSON.parse(readFileSync(new URL('./data/definitions.json', import.meta.url), 'utf8'))),
  )
  return loaded
}

/** Returns the short name of the definition of an API type. */
export const shortNameOf = ({ group, version, kind }: GroupVersionKind): string | undefined => {
  kinds ??= new Map(
    definitionData()
      .entries()
      .flatMap(([name, { k = [] }]) => k.map((id): [string, string] => [id, name])),
  )
  return kinds.get(`${group}/${version}/${kind}`)
}

/** Converts `core.v1.Pod` to `io.k8s.api.core.v1.Pod`. */
export const longName = (short: string): string => {
  if (short.startsWith('io.')) return short
  const dot = short.indexOf('.')
  const group = short.slice(0, dot)
  return `${PACKAGES[group] ?? `io.k8s.api.${group}`}${short.slice(dot)}`
}

let longNames: ReadonlyMap<string, string> | undefined

/** Returns short names by long name, including those of {@link WORD_DEFINITIONS}. */
export const definitionsByLongName = (): ReadonlyMap<string, string> => {
  longNames ??= new Map(
    [...definitionData().keys(), ...Object.values(WORD_DEFINITIONS)].map((short) => [longName(short), short]),
  )
  return longNames
}

/** Parses the type of a field. */
export const readType = (text: string): FieldType => {
  const pointer = text.startsWith('*')
  const omitEmpty = !text.endsWith('!')
  const bare = text.slice(pointer ? 1 : 0, omitEmpty ? undefined : -1)
  if (bare.startsWith('[]')) return { pointer, omitEmpty, shape: 'list', elementType: bare.slice(2) }
  if (bare.startsWith('{}')) return { pointer, omitEmpty, shape: 'map', elementType: bare.slice(2) }
  return { pointer, omitEmpty, shape: 'one', elementType: bare }
}
