/**
 * Where something is neither as it was before the fault nor as the fault has left it. What the fault itself has changed is free: whether
 * it is right now is said by whether the cause is gone.
 */
import { isDeepStrictEqual } from 'node:util'

type Fields = Readonly<Record<string, unknown>>

/** One thing at three times. */
export interface Versions<T = unknown> {
  readonly now: T
  readonly baseline: T
  readonly injected: T
}

/** Has the last word on a place: what is wrong there, nothing where all is well. */
export interface DriftRule {
  /** Of places such as `spec/template/spec/containers/main/image`. */
  readonly place: RegExp
  judge(versions: Versions, place: string): readonly string[]
}

/** What is one thing, however many fields it has: who may change any of it may say it all anew. */
const WHOLE: ReadonlySet<string> = new Set([
  ...['selector', 'matchLabels', 'podSelector', 'nodeSelector', 'affinity', 'command', 'args'],
  ...['livenessProbe', 'readinessProbe', 'startupProbe', 'valueFrom'],
])
/** Maps of which each entry is a thing of its own, even where there was no entry at all. */
const MAPS: ReadonlySet<string> = new Set(['labels', 'annotations', 'data', 'limits', 'requests'])
/** By one of these the entries of a list are told apart. */
const NAMES = ['mountPath', 'containerPort', 'name', 'port', 'ip'] as const

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without what says nothing: to say nothing and to say that there is nothing is the same. */
const pruned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(pruned)
  if (!isFields(value)) return value ?? undefined
  const entries = Object.entries(value)
    .map(([name, inner]) => [name, pruned(inner)] as const)
    .filter(([, inner]) => inner !== undefined)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(pruned(one), pruned(other))

const byName = (list: readonly unknown[], name: string): Fields | undefined => {
  if (!list.every((one) => isFields(one) && one[name] !== undefined)) return undefined
  const named = Object.fromEntries((list as readonly Fields[]).map((one) => [String(one[name]), one]))
  return Object.keys(named).length === list.length ? named : undefined
}

const toJson = (text: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

const mapVersions = <T, U>({ now, baseline, injected }: Versions<T>, to: (one: T) => U): Versions<U> => ({
  now: to(now),
  baseline: to(baseline),
  injected: to(injected),
})

const areAll = <T>(versions: Versions, is: (one: unknown) => one is T): versions is Versions<T> =>
  Object.values(versions).every(is)

/** By field, where all three can be taken apart in the same way. */
const toParts = (versions: Versions): Versions<Fields> | undefined => {
  if (areAll(versions, isFields)) return versions
  if (areAll(versions, (one): one is string => typeof one === 'string')) {
    const parts = mapVersions(versions, toJson)
    return areAll(parts, isFields) ? parts : undefined
  }
  if (!areAll(versions, (one): one is unknown[] => Array.isArray(one))) return undefined
  for (const name of NAMES) {
    const parts = mapVersions(versions, (list) => byName(list, name))
    if (areAll(parts, isFields)) return parts
  }
  return undefined
}

/** The lines of the one without those of the other, each as often as it is there. */
const linesWithout = (one: readonly string[], other: readonly string[]): string[] => {
  const left = [...other]
  return one.filter((line) => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Whether a text has all the lines that the fault has left, and no more new ones than the fault has changed. */
const isSameText = ({ now, baseline, injected }: Versions<string>): boolean => {
  const [is, was, left] = [now.split('\n'), baseline.split('\n'), injected.split('\n')]
  const changed = linesWithout(was, left)
  const kept = linesWithout(was, changed)
  const room = Math.max(changed.length, linesWithout(left, was).length)
  return linesWithout(kept, is).length === 0 && linesWithout(is, kept).length <= room
}

/** Whether the fault has changed just this. */
const isFree = (versions: Versions): boolean => {
  if (isSame(versions.baseline, versions.injected)) return false
  if (!areAll(versions, (one): one is string => typeof one === 'string')) return true
  const isStructured = toJson(versions.baseline) !== undefined && toJson(versions.injected) !== undefined
  return isSameText(versions) && !(isStructured && toJson(versions.now) === undefined)
}

const nameOf = (place: string): string => place.slice(place.lastIndexOf('/') + 1)

/** What is not there at one time has no entries: but what the fault has added or taken away altogether is one thing. */
const filledUp = (versions: Versions, place: string): Versions => {
  const there = Object.values(versions).filter((one) => (one ?? undefined) !== undefined)
  const fill = (empty: unknown): Versions => mapVersions(versions, (one) => one ?? empty)
  if (there.every(Array.isArray)) return fill([])
  const isBefore = isFields(versions.baseline) && isFields(versions.injected)
  return there.every(isFields) && (MAPS.has(nameOf(place)) || isBefore) ? fill({}) : versions
}

const tellDrift = ({ now, baseline }: Versions, place: string): string => {
  const where = place.replaceAll('/', '.')
  if (pruned(now) === undefined) return `has lost ${where}`
  return `has ${pruned(baseline) === undefined ? 'got' : 'another'} ${where}`
}

/** What is wrong with it, place by place. */
export const driftOf = (versions: Versions, rules: readonly DriftRule[] = [], place = ''): string[] => {
  const { now, baseline, injected } = versions
  if (isSame(now, baseline) || isSame(now, injected)) return []
  const rule = rules.find((one) => one.place.test(place))
  if (rule !== undefined) return [...rule.judge(versions, place)]
  if (pruned(now) === undefined && isSame(baseline, injected)) return [tellDrift(versions, place)]
  const parts = WHOLE.has(nameOf(place)) ? undefined : toParts(filledUp(versions, place))
  if (parts === undefined) return isFree(versions) ? [] : [tellDrift(versions, place)]
  const names = new Set(Object.values(parts).flatMap((one) => Object.keys(one)))
  return [...names].flatMap((name) =>
    driftOf(
      mapVersions(parts, (one) => one[name]),
      rules,
      place === '' ? name : `${place}/${name}`,
    ),
  )
}
