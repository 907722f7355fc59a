/** What differs between two pod templates, leaf by leaf, with lists known by the keys by which the API merges them. */
import { isDeepStrictEqual } from 'node:util'
import type { Template } from '../observe/kube-shapes.ts'

export interface Difference {
  /** `['spec', 'containers', 'server', 'env', 'PORT', 'value']` */
  readonly path: readonly string[]
  readonly is: unknown
  readonly was: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** Lists whose elements the API tells apart by this field. */
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

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined where the list has elements without the key. */
export const byKey = (list: unknown, key: string): ReadonlyMap<string, Fields> | undefined => {
  if (!Array.isArray(list) || !list.every((one) => isFields(one) && one[key] !== undefined)) return undefined
  return new Map(list.map((one: Fields) => [String(one[key]), one]))
}

const compareAll = (
  path: readonly string[],
  is: ReadonlyMap<string, unknown>,
  was: ReadonlyMap<string, unknown>,
): Difference[] =>
  [...new Set([...was.keys(), ...is.keys()])].flatMap((name) =>
    compare([...path, name], is.get(name), was.get(name)),
  )

const compare = (path: readonly string[], is: unknown, was: unknown): Difference[] => {
  if (isDeepStrictEqual(is, was)) return []
  if (isFields(is) && isFields(was))
    return compareAll(path, new Map(Object.entries(is)), new Map(Object.entries(was)))
  const key = MERGE_KEYS[path.at(-1) ?? '']
  if (key !== undefined) {
    const [now, before] = [byKey(is ?? [], key), byKey(was ?? [], key)]
    if (now !== undefined && before !== undefined) return compareAll(path, now, before)
  }
  return [{ path, is, was }]
}

/** Written by tools that restart or describe, and read by nobody who serves. */
const IDLE: readonly string[] = ['kubectl.kubernetes.io/restartedAt', 'kubernetes.io/change-cause']

/** What a template says of its pods, without what a mere restart leaves behind. */
export const toComparable = ({ metadata = {}, spec }: Template): Fields => {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !IDLE.includes(name))
  return {
    metadata: { labels: metadata.labels ?? {}, annotations: Object.fromEntries(annotations) },
    spec,
  }
}

export const compareTemplates = (is: Template, was: Template): readonly Difference[] =>
  compare([], toComparable(is), toComparable(was))

const toText = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 120)}...` : text
}

/** `env PORT of server is "8081", was "8080"` */
export const describeDifference = ({ path, is, was }: Difference): string =>
  `${path.filter((part) => part !== 'spec' && part !== 'value').join('.')} is ${toText(is)}, was ${toText(was)}`
