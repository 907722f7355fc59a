/**
 * Gives all objects the same age. Otherwise creation times, other times that the cluster writes, and the
 * order of resource versions would reveal to the next agent which objects were recreated or changed.
 */
import { type Client, type KubeObject, toTime } from '#platform/kube/simulated'
import { keyOf } from './baseline.ts'
import type { RawStore } from './restore-metadata.ts'

const TIME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
/** The annotation of endpoints with the time of the change that caused their last update. */
const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'

/** Replaces all times in a value. */
const replaceTimes = <T>(value: T, time: string): T => {
  const replace = (member: unknown): unknown => {
    if (typeof member === 'string') return TIME_PATTERN.test(member) ? time : member
    if (typeof member !== 'object' || member === null) return member
    if (Array.isArray(member)) return member.map(replace)
    return Object.fromEntries(Object.entries(member).map(([key, inner]) => [key, replace(inner)]))
  }
  return replace(value) as T
}

const withAge = (object: KubeObject, time: string): KubeObject => {
  const { managedFields, annotations } = object.metadata
  return {
    ...object,
    metadata: {
      ...object.metadata,
      creationTimestamp: time,
      ...(managedFields === undefined
        ? {}
        : { managedFields: managedFields.map((field) => ({ ...field, time })) }),
      ...(annotations?.[TRIGGER_TIME] === undefined
        ? {}
        : { annotations: { ...annotations, [TRIGGER_TIME]: time } }),
    },
    ...(object.status === undefined ? {} : { status: replaceTimes(object.status, time) }),
  }
}

/** Writes every object once, in the order of kinds and names. */
export const equaliseAges = (client: Client, store: RawStore, now: number): void => {
  const time = toTime(now)
  const all = client
    .kinds()
    .flatMap((kind) =>
      (client.list(kind) as readonly KubeObject[]).map((object) => ({
        kind,
        object,
        key: keyOf(kind, object),
      })),
    )
    .filter(({ object }) => object.metadata.deletionTimestamp === undefined)
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  for (const { kind, object } of all) {
    // Read again: controllers react to each write at once, and may have written this object in the meantime.
    const current = client.get(kind, object.metadata.namespace ?? '', object.metadata.name) as
      | KubeObject
      | undefined
    if (current !== undefined) store.put(kind.id, withAge(current, time), current)
  }
}
