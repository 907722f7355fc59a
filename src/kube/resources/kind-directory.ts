/** Which kinds the cluster serves, under which paths; custom ones come and go. */
import type { Cell, Column, Kind, PrintContext, ServedVersion } from '../kinds/index.ts'
import type { KubeObject } from '../meta/index.ts'
import { type ObjectSchema, schemaOf } from '../schema/index.ts'

/** A kind as one API version serves it. */
export interface Served {
  kind: Kind
  group: string
  version: string
  apiVersion: string
  schema: ObjectSchema
  /** From the stored form to this version's. The stored version gives the object itself. */
  toServed(object: KubeObject): KubeObject
  fromServed(object: KubeObject): KubeObject
  /** What this version calls the fields that objects are selected by, where the stored form calls them otherwise. */
  fieldNames?: Readonly<Record<string, string>>
  /** Said to everybody who uses this version. */
  warning?: string
  columns: readonly Column[]
  /** Of an object in this version's form. */
  row(object: KubeObject, context: PrintContext): Cell[]
}

export interface KindDirectory {
  all(): readonly Kind[]
  /** Every served version of every kind, in the order of registration. */
  served(): readonly Served[]
  find(group: string, version: string, plural: string): Served | undefined
  byKind(apiVersion: string, kind: string): Served | undefined
  /** The stored version of `kind`. */
  storage(kind: Kind): Served
  hasGroupVersion(group: string, version: string): boolean
  /** Replaces what was registered under `owner` before. */
  register(owner: string, kinds: readonly Kind[]): void
  watch(listener: () => void): () => void
}

/** Custom resources that say nothing of their shape keep whatever they are given. */
const SHAPELESS: ObjectSchema = { type: 'object', fields: new Map(), required: [], preserveUnknown: true }

const identity = (object: KubeObject): KubeObject => object

/** Conversions are pure, so the converted form of a stored object is made once. */
const memoized = (convert: (object: KubeObject) => KubeObject): ((object: KubeObject) => KubeObject) => {
  const known = new WeakMap<KubeObject, KubeObject>()
  return (object) => {
    let converted = known.get(object)
    if (converted === undefined) {
      converted = convert(object)
      known.set(object, converted)
    }
    return converted
  }
}

const apiVersionOf = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`

const storageOf = (kind: Kind): Served => ({
  kind,
  group: kind.group,
  version: kind.version,
  apiVersion: kind.apiVersion,
  get schema() {
    return kind.schema ?? schemaOf(kind) ?? SHAPELESS
  },
  toServed: identity,
  fromServed: identity,
  ...(kind.warning === undefined ? {} : { warning: kind.warning }),
  columns: kind.columns,
  row: (object, context) => kind.row(object, context),
})

const otherOf = (kind: Kind, other: ServedVersion): Served => ({
  kind,
  group: other.group,
  version: other.version,
  apiVersion: apiVersionOf(other.group, other.version),
  get schema() {
    return (
      kind.schema ?? schemaOf({ group: other.group, version: other.version, kind: kind.kind }) ?? SHAPELESS
    )
  },
  toServed: memoized((object) => other.toServed(object)),
  fromServed: (object) => other.fromServed(object),
  ...(other.fieldNames === undefined ? {} : { fieldNames: other.fieldNames }),
  ...(other.warning === undefined ? {} : { warning: other.warning }),
  columns: (other.table ?? kind).columns,
  row: (object, context) => (other.table ?? kind).row(other.fromServed(object), context),
})

export const createKindDirectory = (builtIn: readonly Kind[]): KindDirectory => {
  const owners = new Map<string, readonly Kind[]>([['', builtIn]])
  const listeners = new Set<() => void>()
  let kinds: readonly Kind[] = []
  let served: readonly Served[] = []
  const byPath = new Map<string, Served>()
  const byName = new Map<string, Served>()
  const storages = new Map<string, Served>()
  const groupVersions = new Set<string>()

  const rebuild = (): void => {
    kinds = [...owners.values()].flat()
    served = kinds.flatMap((kind) => [
      storageOf(kind),
      ...(kind.otherVersions ?? []).map((other) => otherOf(kind, other)),
    ])
    byPath.clear()
    byName.clear()
    storages.clear()
    groupVersions.clear()
    for (const one of served) {
      byPath.set(`${one.apiVersion}/${one.kind.plural}`, one)
      byName.set(`${one.apiVersion}/${one.kind.kind}`, one)
      if (one.toServed === identity) storages.set(one.kind.id, one)
      groupVersions.add(one.apiVersion)
    }
  }
  rebuild()

  return {
    all: () => kinds,
    served: () => served,
    find: (group, version, plural) => byPath.get(`${apiVersionOf(group, version)}/${plural}`),
    byKind: (apiVersion, kind) => byName.get(`${apiVersion}/${kind}`),
    storage: (kind) => storages.get(kind.id) ?? storageOf(kind),
    hasGroupVersion: (group, version) => groupVersions.has(apiVersionOf(group, version)),
    register(owner, added) {
      if (added.length === 0) owners.delete(owner)
      else owners.set(owner, added)
      rebuild()
      for (const listener of [...listeners]) listener()
    },
    watch(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
