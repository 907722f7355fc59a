/**
 * Finds where a value differs both from its baseline and from its state after the injection. Parts that the fault changed may have any
 * value: the oracle `cause-gone` judges them.
 */
import { isDeepStrictEqual } from 'node:util'
import { cachePerPair, isPlainObject } from '#kit'

type Fields = Readonly<Record<string, unknown>>

/** A value at three times. */
export interface Versions<T = unknown> {
  readonly now: T
  readonly baseline: T
  readonly injected: T
}

/** Overrides the comparison of the paths that it matches. */
export interface DriftRule {
  /** Matches paths such as `spec/template/spec/containers/main/image`. */
  readonly path: RegExp
  /** Returns the problems; an empty list if there are none. */
  judge(versions: Versions, path: string): readonly string[]
}

/** Fields that are compared as a whole: if the fault changed a part of one, the whole field may change. */
const ATOMIC_FIELDS: ReadonlySet<string> = new Set([
  ...['selector', 'matchLabels', 'podSelector', 'nodeSelector', 'affinity', 'command', 'args'],
  ...['livenessProbe', 'readinessProbe', 'startupProbe', 'valueFrom'],
])
/** Maps whose entries are compared one by one, even if the map was absent before. */
const MAP_FIELDS: ReadonlySet<string> = new Set(['labels', 'annotations', 'data', 'limits', 'requests'])
/** Fields that identify the entries of a list, in order of preference. */
const LIST_KEYS = ['mountPath', 'containerPort', 'name', 'port', 'ip'] as const

/** Removes empty objects, empty lists and nulls, which mean the same as an absent field. */
const prune = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(prune)
  if (!isPlainObject(value)) return value ?? undefined
  const entries = Object.entries(value)
    .map(([name, inner]) => [name, prune(inner)] as const)
    .filter(([, inner]) => inner !== undefined)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const isSameStructure = cachePerPair((a, b) => isDeepStrictEqual(prune(a), prune(b)))

const isStructure = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Whether the values are equal, apart from empty parts. */
export const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (isStructure(a) && isStructure(b) ? isSameStructure(a, b) : isDeepStrictEqual(prune(a), prune(b)))

const keyByField = (list: readonly unknown[], name: string): Fields | undefined => {
  if (!list.every((item) => isPlainObject(item) && item[name] !== undefined)) return undefined
  const itemsByKey = Object.fromEntries((list as readonly Fields[]).map((item) => [String(item[name]), item]))
  return Object.keys(itemsByKey).length === list.length ? itemsByKey : undefined
}

const parseJsonObject = (text: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const mapVersions = <T, U>(
  { now, baseline, injected }: Versions<T>,
  mapVersion: (version: T) => U,
): Versions<U> => ({
  now: mapVersion(now),
  baseline: mapVersion(baseline),
  injected: mapVersion(injected),
})

const areAll = <T>(
  versions: Versions,
  isOfType: (version: unknown) => version is T,
): versions is Versions<T> => Object.values(versions).every(isOfType)

/** The fields of all three versions; undefined if they do not have the same structure. */
const toParts = (versions: Versions): Versions<Fields> | undefined => {
  if (areAll(versions, isPlainObject)) return versions
  if (areAll(versions, (version): version is string => typeof version === 'string')) {
    const parts = mapVersions(versions, parseJsonObject)
    return areAll(parts, isPlainObject) ? parts : undefined
  }
  if (!areAll(versions, (version): version is unknown[] => Array.isArray(version))) return undefined
  for (const name of LIST_KEYS) {
    const parts = mapVersions(versions, (list) => keyByField(list, name))
    if (areAll(parts, isPlainObject)) return parts
  }
  return undefined
}

/** The multiset difference of two lists of lines. */
const linesWithout = (a: readonly string[], b: readonly string[]): string[] => {
  const remaining = [...b]
  return a.filter((line) => {
    const index = remaining.indexOf(line)
    if (index >= 0) remaining.splice(index, 1)
    return index < 0
  })
}

/** Whether a string keeps all lines that the fault kept, and has at most as many new lines as the fault changed. */
const keepsOtherLines = ({ now, baseline, injected }: Versions<string>): boolean => {
  const [lines, before, after] = [now.split('\n'), baseline.split('\n'), injected.split('\n')]
  const changed = linesWithout(before, after)
  const kept = linesWithout(before, changed)
  const allowed = Math.max(changed.length, linesWithout(after, before).length)
  return linesWithout(kept, lines).length === 0 && linesWithout(lines, kept).length <= allowed
}

/**
 * Whether the solver may change this value because the fault changed it. A string may change in at most as many lines as the fault
 * changed.
 */
const isAllowedChange = (versions: Versions): boolean => {
  if (isSame(versions.baseline, versions.injected)) return false
  if (!areAll(versions, (version): version is string => typeof version === 'string')) return true
  const isStructured =
    parseJsonObject(versions.baseline) !== undefined && parseJsonObject(versions.injected) !== undefined
  return keepsOtherLines(versions) && !(isStructured && parseJsonObject(versions.now) === undefined)
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Treats an absent map or list as empty, except an object that the fault added or removed as a whole. */
const withDefaults = (versions: Versions, path: string): Versions => {
  const present = Object.values(versions).filter((version) => (version ?? undefined) !== undefined)
  const fill = (empty: unknown): Versions => mapVersions(versions, (version) => version ?? empty)
  if (present.every(Array.isArray)) return fill([])
  const existedBefore = isPlainObject(versions.baseline) && isPlainObject(versions.injected)
  return present.every(isPlainObject) && (MAP_FIELDS.has(nameOf(path)) || existedBefore) ? fill({}) : versions
}

const describeDrift = ({ now, baseline }: Versions, path: string): string => {
  const fieldPath = path.replaceAll('/', '.')
  if (prune(now) === undefined) return `lost ${fieldPath}`
  return `has a ${prune(baseline) === undefined ? 'new' : 'different'} ${fieldPath}`
}

/** Returns one problem per path, as in "lost spec.selector". */
export const driftOf = (versions: Versions, rules: readonly DriftRule[] = [], path = ''): string[] => {
  const { now, baseline, injected } = versions
  if (isSame(now, baseline) || isSame(now, injected)) return []
  const rule = rules.find((candidate) => candidate.path.test(path))
  if (rule !== undefined) return [...rule.judge(versions, path)]
  if (prune(now) === undefined && isSame(baseline, injected)) return [describeDrift(versions, path)]
  const parts = ATOMIC_FIELDS.has(nameOf(path)) ? undefined : toParts(withDefaults(versions, path))
  if (parts === undefined) return isAllowedChange(versions) ? [] : [describeDrift(versions, path)]
  const names = new Set(Object.values(parts).flatMap((part) => Object.keys(part)))
  return [...names].flatMap((name) =>
    driftOf(
      mapVersions(parts, (part) => part[name]),
      rules,
      path === '' ? name : `${path}/${name}`,
    ),
  )
}
