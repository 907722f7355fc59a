/** The registry of served kinds and versions; custom kinds are registered at run time. */
import { defined } from '#kit'
import type { Cell, Column, Kind, PrintContext, ServedVersion } from '#platform/kube/kinds'
import type { KubeObject } from '#platform/kube/meta'
import { type ObjectSchema, schemaOf } from '#platform/kube/schema'

/** A kind as one API version serves it. */
export interface Served {
  kind: Kind
  group: string
  version: string
  apiVersion: string
  schema: ObjectSchema
  /** Converts from the stored version; for the stored version itself, returns the same object. */
  toServed(object: KubeObject): KubeObject
  fromServed(object: KubeObject): KubeObject
  /** Maps the selectable fields of this version to those of the stored version, if they differ. */
  fieldNames?: Readonly<Record<string, string>>
  /** A deprecation warning, sent with every response. */
  warning?: string
  columns: readonly Column[]
  /** The table row of an object of this version. */
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
  /** Replaces the kinds that `owner` registered earlier. */
  register(owner: string, kinds: readonly Kind[]): void
  watch(listener: () => void): () => void
}

/** For custom kinds without a schema: accepts any fields. */
const ANY_OBJECT: ObjectSchema = { type: 'object', fields: new Map(), required: [], preserveUnknown: true }

const identity = (object: KubeObject): KubeObject => object

/** Caches conversions, which are pure, per stored object. */
const memoize = (convert: (object: KubeObject) => KubeObject): ((object: KubeObject) => KubeObject) => {
  const cache = new WeakMap<KubeObject, KubeObject>()
  return (object) => {
    let converted = cache.get(object)
    if (converted === undefined) {
      converted = convert(object)
      cache.set(object, converted)
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
    return kind.schema ?? schemaOf(kind) ?? ANY_OBJECT
  },
  toServed: identity,
  fromServed: identity,
  ...defined({ fieldNames: kind.fieldNames, warning: kind.warning }),
  columns: kind.columns,
  row: (object, context) => kind.row(object, context),
})

const otherVersionOf = (kind: Kind, version: ServedVersion): Served => ({
  kind,
  group: version.group,
  version: version.version,
  apiVersion: apiVersionOf(version.group, version.version),
  get schema() {
    return (
      kind.schema ??
      schemaOf({ group: version.group, version: version.version, kind: kind.kind }) ??
      ANY_OBJECT
    )
  },
  toServed: memoize((object) => version.toServed(object)),
  fromServed: (object) => version.fromServed(object),
  ...defined({ fieldNames: version.fieldNames, warning: version.warning }),
  columns: (version.table ?? kind).columns,
  row: (object, context) => (version.table ?? kind).row(version.fromServed(object), context),
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
      ...(kind.otherVersions ?? []).map((version) => otherVersionOf(kind, version)),
    ])
    byPath.clear()
    byName.clear()
    storages.clear()
    groupVersions.clear()
    for (const entry of served) {
      byPath.set(`${entry.apiVersion}/${entry.kind.plural}`, entry)
      byName.set(`${entry.apiVersion}/${entry.kind.kind}`, entry)
      if (entry.toServed === identity) storages.set(entry.kind.id, entry)
      groupVersions.add(entry.apiVersion)
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
