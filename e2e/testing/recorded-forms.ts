/** Converts recorded and live objects and events to forms that can be compared. */
import { normalise, normaliseAges } from './normalise.ts'
import { type RecordedObject, readRecorded } from './recorded-objects.ts'

/** Converts lists whose order does not matter to objects keyed by name. */
export const keyByName = (value: any): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const key = (item: any): string =>
    item.name ??
    item.resource ??
    item.subresource ??
    item.version ??
    item.metadata?.name ??
    (item.metadata ? 'core' : typeof item === 'string' ? item : JSON.stringify(item))
  const members = Array.isArray(value) ? value.map((item) => [key(item), item]) : Object.entries(value)
  return Object.fromEntries(members.map(([name, member]) => [name, keyByName(member)]))
}

/** Normalises an object without its managed fields; rules, whose order does not matter, are keyed. */
export const toComparable = ({ rules, ...object }: RecordedObject): unknown => {
  const { managedFields, ...metadata } = object.metadata
  return normalise({ ...object, metadata, ...(rules === undefined ? {} : { rules: keyByName(rules) }) })
}

type EventFields = Readonly<Record<'type' | 'reason' | 'object' | 'message' | 'component', string>>

const textOf = ({ type, reason, object, message, component }: EventFields): string =>
  `${type} ${reason} ${normaliseAges(object)} ${component}: ${normaliseAges(message)}`

/** `Normal Killing Pod/web-HASH-RANDOM kubelet: Stopping container c` */
export const eventText = (event: any): string => {
  const { type, reason, involvedObject, message, source, reportingComponent } = event
  const object = `${involvedObject.kind}/${involvedObject.name}`
  return textOf({ type, reason, object, message, component: source?.component || reportingComponent })
}

export interface RecordedEvent {
  /** `Pod/crash`, normalised. */
  object: string
  text: string
}

export const recordedEvents = (): RecordedEvent[] =>
  JSON.parse(readRecorded('events.json')).map(
    ([type, reason, object, message, component]: readonly [string, string, string, string, string]) => ({
      object: normaliseAges(object),
      text: textOf({ type, reason, object, message, component }),
    }),
  )
