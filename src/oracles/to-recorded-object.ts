/** What a record keeps of an object: what it is meant to be, and of what it is only what judges ask for. */
import { createHash } from 'node:crypto'
import type { ApiObject } from '../spec/index.ts'

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

const shorten = (value: unknown): unknown => {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? toFingerprint(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(shorten)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shorten(one)]))
}

/** Of what is huge only what tells it from others, so that nobody can blow up a record by what he stores. */
const withinBounds = (object: ApiObject): ApiObject => {
  if (JSON.stringify(object).length <= LONGEST_TEXT) return object
  const short = shorten(object) as ApiObject
  const text = JSON.stringify(short)
  if (text.length <= LARGEST_OBJECT) return short
  const { apiVersion, kind, metadata } = short
  const { name, namespace, uid } = metadata
  const known = Object.fromEntries(
    Object.entries({ name, namespace, uid }).filter(([, one]) => one !== undefined),
  ) as ApiObject['metadata']
  return { apiVersion, kind, metadata: known, fingerprint: toFingerprint(text) }
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
    ...{ apiVersion: object.apiVersion, kind: object.kind, metadata: toMetadata(object.metadata) },
    ...kept,
    ...(object.kind === 'Secret' && kept.data !== undefined
      ? { data: toFingerprints(kept.data as Fields) }
      : {}),
    ...(Object.keys(status).length === 0 ? {} : { status }),
  })
}
