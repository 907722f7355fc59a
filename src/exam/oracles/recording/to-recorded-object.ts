/** The recorded form of an object: its intent, and the part of its status that oracles read. */

import { MAX_TEXT_CHARACTERS, programsOf, toFingerprint } from '#exam/effects'
import { defined } from '#kit'
import { type ApiObject, type KubeObject, viewAs, withFamiliarImages } from '#spec'
import { toIntent } from '../objects/intent.ts'
import { hasControllerReference } from '../objects/is-controlled.ts'
import { HELM_RELEASE, objectsOfRelease } from './objects-of-release.ts'

type Fields = Readonly<Record<string, unknown>>
type ContainerStatus = NonNullable<NonNullable<KubeObject<'Pod'>['status']>['containerStatuses']>[number]

const KEPT_METADATA = [
  'name',
  'namespace',
  'uid',
  'labels',
  'ownerReferences',
  'finalizers',
  'deletionTimestamp',
  'generation',
] as const
const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'
/** Top-level fields that belong to the intent of an object. */
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
const KEPT_STATUS = [
  'replicas',
  'readyReplicas',
  'updatedReplicas',
  'availableReplicas',
  'observedGeneration',
  'desiredNumberScheduled',
  'numberReady',
  'phase',
  'allocatable',
] as const

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]))

const toMetadata = (metadata: ApiObject['metadata']): ApiObject['metadata'] => {
  const { [LAST_APPLIED_ANNOTATION]: _, ...annotations } = (metadata.annotations ?? {}) as Record<
    string,
    string
  >
  return {
    ...(pick(metadata, KEPT_METADATA) as ApiObject['metadata']),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  }
}

const toFingerprints = (data: Fields): Fields =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, toFingerprint(String(value))]))

/** Of the record of a Helm release, the names of its objects are recorded as well. */
const toSecretContent = (secret: ApiObject): Fields => {
  const { data = {} } = viewAs('Secret', secret)
  return {
    data: toFingerprints(data),
    ...(secret.type === HELM_RELEASE ? { release: objectsOfRelease(data.release) } : {}),
  }
}

/** Larger objects are not recorded in full. */
const MAX_OBJECT_CHARACTERS = 262_144

interface Bounds {
  /** The maximum length of a string; a longer string is replaced by a fingerprint. */
  readonly characters: number
  /** The maximum length of a list; further entries are dropped. */
  readonly entries: number
  /** The maximum number of fields of an object; an object with more fields is a map and becomes empty. */
  readonly fields: number
}

const TEXT_BOUNDS: Bounds = {
  characters: MAX_TEXT_CHARACTERS,
  entries: Number.POSITIVE_INFINITY,
  fields: Number.POSITIVE_INFINITY,
}
/** Names are shorter than 256 characters, and no API type has 64 fields. */
const OUTLINE_BOUNDS: readonly Bounds[] = [
  { characters: 4096, entries: 64, fields: 64 },
  { characters: 256, entries: 8, fields: 64 },
  { characters: 256, entries: 1, fields: 64 },
]

const shorten = <T>(value: T, bounds: Bounds): T => {
  const shortenMember = (member: unknown): unknown => {
    if (typeof member === 'string') return member.length > bounds.characters ? toFingerprint(member) : member
    if (typeof member !== 'object' || member === null) return member
    if (Array.isArray(member)) return member.slice(0, bounds.entries).map(shortenMember)
    const fields = Object.entries(member)
    if (fields.length > bounds.fields) return {}
    return Object.fromEntries(fields.map(([key, inner]) => [key, shortenMember(inner)]))
  }
  return shortenMember(value) as T
}

/**
 * Reduces a huge object to an outline with a fingerprint, so that a solver cannot inflate the record. The outline keeps the structure
 * of the kind, which oracles read.
 */
const limitSize = (object: ApiObject): ApiObject => {
  const isWithin = (candidate: ApiObject, characters: number): boolean =>
    JSON.stringify(candidate).length <= characters
  if (isWithin(object, MAX_TEXT_CHARACTERS)) return object
  const short = shorten(object, TEXT_BOUNDS)
  if (isWithin(short, MAX_OBJECT_CHARACTERS)) return short
  const outlines = OUTLINE_BOUNDS.map((bounds) => shorten(short, bounds))
  const outline = outlines.find((candidate) => isWithin(candidate, MAX_TEXT_CHARACTERS)) ?? outlines.at(-1)!
  // The fingerprint leaves out the status: a change of the status does not change the intent.
  return { ...outline, fingerprint: toFingerprint(JSON.stringify(toIntent(short))) }
}

const KEPT_CONTAINER_STATUS = ['name', 'ready', 'restartCount', 'image'] as const

/** How the container last terminated, if it did. */
const toLastState = ({ lastState }: ContainerStatus): Fields =>
  lastState?.terminated === undefined
    ? {}
    : { lastState: { terminated: pick(lastState.terminated, ['exitCode', 'reason']) } }

/** Whether each ephemeral container has ended. */
const toEphemeralStatuses = (statuses: readonly ContainerStatus[]): Fields =>
  statuses.length === 0
    ? {}
    : {
        ephemeralContainerStatuses: statuses.map(({ name, state }) => ({
          name,
          ...(state?.terminated === undefined
            ? {}
            : { state: { terminated: pick(state.terminated, ['exitCode']) } }),
        })),
      }

const toPodStatus = (pod: ApiObject): Fields => {
  const {
    phase,
    reason,
    podIP,
    conditions = [],
    containerStatuses = [],
    ephemeralContainerStatuses = [],
  } = viewAs('Pod', pod).status ?? {}
  return {
    phase,
    ...defined({ reason, podIP }),
    conditions: conditions
      .filter(({ type }) => type === 'Ready')
      .map(({ type, status }) => ({ type, status })),
    containerStatuses: containerStatuses.map((status) => ({
      ...pick(status as unknown as Fields, KEPT_CONTAINER_STATUS),
      ...toLastState(status),
    })),
    ...toEphemeralStatuses(ephemeralContainerStatuses),
  }
}

/** Keeps only the conditions that say whether the Job has ended. */
const toJobStatus = (job: ApiObject): Fields => {
  const { conditions = [] } = viewAs('Job', job).status ?? {}
  const final = conditions.filter(({ type }) => type === 'Complete' || type === 'Failed')
  return final.length === 0 ? {} : { conditions: final.map(({ type, status }) => ({ type, status })) }
}

const toStatus = (object: ApiObject): Fields => {
  if (object.kind === 'Pod') return toPodStatus(object)
  if (object.kind === 'Job') return toJobStatus(object)
  return pick((object.status ?? {}) as Fields, KEPT_STATUS)
}

/** For a ReplicaSet of a Deployment only the programs matter, because its controller sets the number of pods. */
const toRecordedReplicaSet = (set: ApiObject): ApiObject =>
  limitSize({
    apiVersion: set.apiVersion,
    kind: set.kind,
    metadata: toMetadata(set.metadata),
    programs: programsOf(set),
  })

/** Such as `10.244.1.5:8080`; only the address if the subset has no ports. Readiness is that of the pod. */
const toAddresses = (endpoints: ApiObject): readonly string[] =>
  (viewAs('Endpoints', endpoints).subsets ?? [])
    .flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
      [...addresses, ...notReadyAddresses].flatMap(({ ip }) =>
        ports.length === 0 ? [ip] : ports.map(({ port }) => `${ip}:${port}`),
      ),
    )
    .sort()

/**
 * Keeps the addresses of the Endpoints of a selector, and those fields that their controller does not overwrite. It corrects the
 * addresses only when a pod or the Service changes.
 */
export const toMaintainedObject = (endpoints: ApiObject): ApiObject => {
  const { apiVersion, kind, metadata } = endpoints
  return limitSize({
    apiVersion,
    kind,
    metadata: pick(metadata, [
      'name',
      'namespace',
      'uid',
      'ownerReferences',
      'finalizers',
      'deletionTimestamp',
    ]) as ApiObject['metadata'],
    maintained: true,
    addresses: toAddresses(endpoints),
  })
}

/** Shortens images, and replaces the values of a Secret, and strings that are too long, with fingerprints. */
export const toRecordedObject = (original: ApiObject): ApiObject => {
  const object = withFamiliarImages(original)
  if (object.kind === 'ReplicaSet' && hasControllerReference(object)) return toRecordedReplicaSet(object)
  const kept = pick(object, KEPT_FIELDS)
  const status = toStatus(object)
  return limitSize({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: toMetadata(object.metadata),
    ...kept,
    ...(object.kind === 'Secret' && kept.data !== undefined ? toSecretContent(object) : {}),
    ...(Object.keys(status).length === 0 ? {} : { status }),
  })
}
