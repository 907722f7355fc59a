/** Compares two pod templates field by field. Lists are compared by their merge keys. */
import { isDeepStrictEqual } from 'node:util'
import { isPlainObject } from '#kit'
import type { Template } from '../observe/kube-views.ts'

export interface Difference {
  /** Such as `['spec', 'containers', 'server', 'env', 'PORT', 'value']`. */
  readonly path: readonly string[]
  readonly now: unknown
  readonly before: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** The merge keys of lists, as in the API. */
export const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  ports: 'containerPort',
  volumeMounts: 'mountPath',
  volumes: 'name',
  hostAliases: 'ip',
  imagePullSecrets: 'name',
}

/** Maps the elements of a list by a key. Returns undefined if an element lacks the key. */
export const mapByKey = (list: unknown, key: string): ReadonlyMap<string, Fields> | undefined => {
  if (!Array.isArray(list) || !list.every((item) => isPlainObject(item) && item[key] !== undefined))
    return undefined
  return new Map(list.map((item: Fields) => [String(item[key]), item]))
}

const compareAll = (
  path: readonly string[],
  current: ReadonlyMap<string, unknown>,
  previous: ReadonlyMap<string, unknown>,
): Difference[] =>
  [...new Set([...previous.keys(), ...current.keys()])].flatMap((name) =>
    compare([...path, name], current.get(name), previous.get(name)),
  )

const compare = (path: readonly string[], current: unknown, previous: unknown): Difference[] => {
  if (isDeepStrictEqual(current, previous)) return []
  if (isPlainObject(current) && isPlainObject(previous))
    return compareAll(path, new Map(Object.entries(current)), new Map(Object.entries(previous)))
  const key = MERGE_KEYS[path.at(-1) ?? '']
  if (key !== undefined) {
    const [now, before] = [mapByKey(current ?? [], key), mapByKey(previous ?? [], key)]
    if (now !== undefined && before !== undefined) return compareAll(path, now, before)
  }
  return [{ path, now: current, before: previous }]
}

/** Annotations without an effect on pods. */
const IGNORED_ANNOTATIONS: readonly string[] = [
  'kubectl.kubernetes.io/restartedAt',
  'kubernetes.io/change-cause',
]

/** Returns the labels, the annotations that affect pods, and the spec. */
export const toComparable = ({ metadata = {}, spec }: Template): Fields => {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([name]) => !IGNORED_ANNOTATIONS.includes(name),
  )
  return {
    metadata: { labels: metadata.labels ?? {}, annotations: Object.fromEntries(annotations) },
    spec,
  }
}

export const compareTemplates = (current: Template, previous: Template): readonly Difference[] =>
  compare([], toComparable(current), toComparable(previous))

const toText = (value: unknown): string => {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 120)}...` : text
}

/** Returns `containers.server.env.PORT is "8081", was "8080"`. */
export const describeDifference = ({ path, now, before }: Difference): string =>
  `${path.filter((part) => part !== 'spec' && part !== 'value').join('.')} is ${toText(now)}, was ${toText(before)}`
