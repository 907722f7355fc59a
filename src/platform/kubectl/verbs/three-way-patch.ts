/** The strategic merge patch of kubectl apply, computed from the last applied, the existing and the desired object. */
import { isPlainObject } from '#kit'

type Json = Readonly<Record<string, any>>

/** The keys of lists that are merged, by the name of the field. Other lists are replaced. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  hostAliases: 'ip',
  imagePullSecrets: 'name',
  topologySpreadConstraints: 'topologyKey',
}

/** `ports` has another key in Services than in containers. */
const mergeKeyOf = (field: string, path: string): string | undefined =>
  field === 'ports' ? (path === '/spec' ? 'port' : 'containerPort') : MERGE_KEYS[field]

const isEqual = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  if (isPlainObject(a) && isPlainObject(b)) {
    const keys = Object.keys(a)
    return keys.length === Object.keys(b).length && keys.every((key) => key in b && isEqual(a[key], b[key]))
  }
  return a === b
}

const byKey = (list: readonly unknown[], key: string): Map<unknown, Json> =>
  new Map(list.filter(isPlainObject).map((item) => [item[key], item as Json]))

const patchList = (
  last: unknown,
  current: readonly unknown[],
  wanted: readonly unknown[],
  key: string,
  path: string,
): unknown[] | undefined => {
  const [before, present, next] = [
    byKey(Array.isArray(last) ? last : [], key),
    byKey(current, key),
    byKey(wanted, key),
  ]
  const changes: Json[] = []
  for (const [name, item] of next) {
    const existing = present.get(name)
    if (existing === undefined) changes.push(item)
    else {
      const change = patchMap(before.get(name) ?? {}, existing, item, path)
      if (change !== undefined) changes.push({ ...change, [key]: name })
    }
  }
  for (const name of before.keys())
    if (!next.has(name) && present.has(name)) changes.push({ $patch: 'delete', [key]: name })
  return changes.length === 0 ? undefined : changes
}

const patchMap = (last: Json, current: Json, wanted: Json, path: string): Json | undefined => {
  const patch: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(wanted)) {
    const existing = current[field]
    const key = mergeKeyOf(field, path)
    if (isPlainObject(value) && isPlainObject(existing)) {
      const change = patchMap((last[field] ?? {}) as Json, existing, value, `${path}/${field}`)
      if (change !== undefined) patch[field] = change
    } else if (Array.isArray(value) && Array.isArray(existing) && key !== undefined) {
      const change = patchList(last[field], existing, value, key, `${path}/${field}`)
      if (change !== undefined) patch[field] = change
    } else if (!isEqual(value, existing)) patch[field] = value
  }
  for (const field of Object.keys(last)) if (!(field in wanted) && field in current) patch[field] = null
  return Object.keys(patch).length === 0 ? undefined : patch
}

/** Returns undefined if nothing changes. */
export const threeWayPatch = (last: Json, current: Json, wanted: Json): Json | undefined =>
  patchMap(last, current, wanted, '')
