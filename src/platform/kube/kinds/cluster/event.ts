/** The Event kind. It is stored as core v1, and also served as events.k8s.io/v1. */
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import { ageOf, type Stored } from '#platform/kube/meta'
import { type Column, defineKind } from '../define-kind.ts'
import { nameColumn, textColumn, wideColumn } from '../standard-columns.ts'
import { validateEvent } from './event-validation.ts'
import { eventsGroup } from './events-group.ts'

/** Returns the age of the first time that is set. */
const ageOfFirst = (now: number, ...times: (string | null | undefined)[]): string =>
  ageOf(times.find((time) => time !== null && time !== undefined) ?? undefined, now)

const objectText = ({ kind = '', name = '' }: Event['involvedObject']): string => {
  const type = kind.toLowerCase()
  return name === '' ? type : `${type}/${name}`
}

const sourceText = (event: Stored<Event>): string => {
  const component = event.source?.component || event.reportingComponent || ''
  const location = event.source?.host || event.reportingInstance || ''
  return location === '' ? component : `${component}, ${location}`
}

const COLUMNS: readonly Column[] = [
  textColumn('Last Seen', 'The time at which the most recent occurrence of this event was recorded.'),
  textColumn('Type', 'Type of this event (Normal, Warning), new types could be added in the future'),
  textColumn(
    'Reason',
    "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
  ),
  textColumn('Object', 'The object that this event is about.'),
  wideColumn(
    'Subobject',
    'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
  ),
  wideColumn(
    'Source',
    'The component reporting this event. Should be a short machine understandable string.',
  ),
  textColumn('Message', 'A human-readable description of the status of this operation.'),
  wideColumn(
    'First Seen',
    'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)',
  ),
  wideColumn('Count', 'The number of times this event has occurred.'),
  { ...nameColumn, priority: 1 },
]

export const events = defineKind<Event>({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  singular: 'event',
  shortNames: ['ev'],
  namespaced: true,
  hasStatus: false,
  allowCreateOnUpdate: true,
  allowUnqualifiedFinalizers: true,
  nameRule: 'path-segment',
  otherVersions: [eventsGroup],
  // kube-apiserver always writes these fields, and clients rely on it.
  defaults: (draft) => {
    const event = draft as unknown as Record<string, unknown>
    event.source ??= {}
    event.firstTimestamp ??= null
    event.lastTimestamp ??= null
    event.eventTime ??= null
    event.reportingComponent ??= ''
    event.reportingInstance ??= ''
  },
  validate: validateEvent,
  columns: COLUMNS,
  row: (event, { now }) => [
    ageOfFirst(
      now,
      event.series?.lastObservedTime,
      event.lastTimestamp,
      event.firstTimestamp,
      event.eventTime,
    ),
    event.type ?? '',
    event.reason ?? '',
    objectText(event.involvedObject),
    event.involvedObject.fieldPath ?? '',
    sourceText(event),
    (event.message ?? '').trim(),
    ageOfFirst(now, event.firstTimestamp, event.eventTime),
    event.series?.count ?? (event.count || 1),
    event.metadata.name,
  ],
  // Also called with an empty object, to list the supported fields.
  selectableFields: ({ involvedObject: object = {}, ...event }) => ({
    'involvedObject.kind': object.kind ?? '',
    'involvedObject.namespace': object.namespace ?? '',
    'involvedObject.name': object.name ?? '',
    'involvedObject.uid': object.uid ?? '',
    'involvedObject.apiVersion': object.apiVersion ?? '',
    'involvedObject.resourceVersion': object.resourceVersion ?? '',
    'involvedObject.fieldPath': object.fieldPath ?? '',
    reason: event.reason ?? '',
    reportingComponent: event.reportingComponent ?? '',
    source: event.source?.component || event.reportingComponent || '',
    type: event.type ?? '',
  }),
})
