/** What a record keeps of an object: what it is meant to be, and of what it is only what judges ask for. */
import { createHash } from 'node:crypto'
import type { ApiObject } from '../spec/index.ts'
import { toIntent } from './intent.ts'

type Fields = Readonly<Record<string, unknown>>

const KEPT_METADATA = [
  'name',
  'namespace',
  'uid',
  'labels',
  'ownerReferences',
  'deletionTimestamp',
  'generation',
] as const
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** Beside metadata, spec and status these belong to what an object is meant to be. */
const KEPT_FIELDS = [
  'spec',
  'data',
  'binaryData',
  'immutable',
  'type',
  'rules',
  'roleRef',
  'subjects',
  'webhooks',
  'secrets',
  'imagePullSecrets',
  'subsets',
  'automountServiceAccountToken',
] as const
const COUNTS = [
  'replicas',
  'readyReplicas',
  'updatedReplicas',
  'availableReplicas',
  'observedGeneration',
  'desiredNumberScheduled',
  'numberReady',
  'phase',
] as const

const pick = (from: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]))

const toMetadata = (metadata: ApiObject['metadata']): ApiObject['metadata'] => {
  const { [LAST_APPLIED]: _, ...annotations } = (metadata.annotations ?? {}) as Record<string, string>
  return {
    ...(pick(metadata, KEPT_METADATA) as ApiObject['metadata']),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  }
}

const toFingerprint = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

const toFingerprints = (data: Fields): Fields =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, toFingerprint(String(value))]))

/** Characters of the longest text, and of the largest object, that a record holds as they are. */
const LONGEST_TEXT = 65_536
const LARGEST_OBJECT = 262_144

interface Bounds {
  /** Of a text; of a longer one there is a fingerprint. */
  readonly letters: number
  /** Of a list, from its beginning. */
  readonly entries: number
  /** Of an object; one with more is a map, and is left empty. */
  readonly fields: number
}

const WHOLE: Bounds = {
  letters: LONGEST_TEXT,
  entries: Number.POSITIVE_INFINITY,
  fields: Number.POSITIVE_INFINITY,
}
/** Names are shorter than 256 letters, and no type of the API has as many as 64 fields. */
const OUTLINES: readonly Bounds[] = [
  { letters: 4096, entries: 64, fields: 64 },
  { letters: 256, entries: 8, fields: 64 },
  { letters: 256, entries: 1, fields: 64 },
]

const shorten = <T>(value: T, bounds: Bounds): T => {
  const toShort = (one: unknown): unknown => {
    if (typeof one === 'string') return one.length > bounds.letters ? toFingerprint(one) : one
    if (typeof one !== 'object' || one === null) return one
    if (Array.isArray(one)) return one.slice(0, bounds.entries).map(toShort)
    const fields = Object.entries(one)
    if (fields.length > bounds.fields) return {}
    return Object.fromEntries(fields.map(([key, inner]) => [key, toShort(inner)]))
  }
  return toShort(value) as T
}

/**
 * Of what is huge an outline and what tells it from others, so that nobody can blow up a record by what he stores. The outline has
 * the form of its kind, because judges read that, and the solver is answerable for what he stores.
 */
const withinBounds = (object: ApiObject): ApiObject => {
  const isWithin = (one: ApiObject, letters: number): boolean => JSON.stringify(one).length <= letters
  if (isWithin(object, LONGEST_TEXT)) return object
  const short = shorten(object, WHOLE)
  if (isWithin(short, LARGEST_OBJECT)) return short
  const outlines = OUTLINES.map((bounds) => shorten(short, bounds))
  const outline = outlines.find((one) => isWithin(one, LONGEST_TEXT)) ?? outlines.at(-1)!
  // Not of its state: a change of that would pass for one of what it is meant to be.
  return { ...outline, fingerprint: toFingerprint(JSON.stringify(toIntent(short))) }
}

interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  readonly containerStatuses?: readonly Fields[]
}

const CONTAINER_STATUS = ['name', 'ready', 'restartCount', 'image'] as const

/** How its program ended last, if it did. */
const toLastEnd = ({ lastState }: Fields): Fields => {
  const { terminated } = (lastState ?? {}) as { terminated?: Fields }
  return terminated === undefined
    ? {}
    : { lastState: { terminated: pick(terminated, ['exitCode', 'reason']) } }
}

const toPodStatus = ({ phase, reason, conditions = [], containerStatuses = [] }: PodStatus): Fields => ({
  phase,
  ...(reason === undefined ? {} : { reason }),
  conditions: conditions.filter(({ type }) => type === 'Ready').map(({ type, status }) => ({ type, status })),
  containerStatuses: containerStatuses.map((status) => ({
    ...pick(status, CONTAINER_STATUS),
    ...toLastEnd(status),
  })),
})

/** Of a Job only whether it is over. */
const toJobStatus = ({ conditions = [] }: PodStatus): Fields => {
  const over = conditions.filter(({ type }) => type === 'Complete' || type === 'Failed')
  return over.length === 0 ? {} : { conditions: over.map(({ type, status }) => ({ type, status })) }
}

const toStatus = ({ kind, status }: ApiObject): Fields => {
  if (kind === 'Pod') return toPodStatus((status ?? {}) as PodStatus)
  if (kind === 'Job') return toJobStatus((status ?? {}) as PodStatus)
  return pick((status ?? {}) as Fields, COUNTS)
}

/** Of a Secret there is a fingerprint of each value instead of the value, and of anything that is too long. */
export const toRecordedObject = (object: ApiObject): ApiObject => {
  const kept = pick(object, KEPT_FIELDS)
  const status = toStatus(object)
  return withinBounds({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: toMetadata(object.metadata),
    ...kept,
    ...(object.kind === 'Secret' && kept.data !== undefined
      ? { data: toFingerprints(kept.data as Fields) }
      : {}),
    ...(Object.keys(status).length === 0 ? {} : { status }),
  })
}
