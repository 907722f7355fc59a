/** Event: stored as core v1 and served as events.k8s.io/v1 too. */
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import { ageOf, type Stored } from '../meta/index.ts'
import { type Column, defineKind } from './define-kind.ts'
import { validateEvent } from './event-validation.ts'
import { eventsGroup } from './events-group.ts'
import { nameColumn, textColumn, wideColumn } from './standard-columns.ts'

/** The instant that a table measures from: the first that is known. */
const seen = (now: number, ...times: (string | null | undefined)[]): string =>
  ageOf(times.find((time) => time !== null && time !== undefined) ?? undefined, now)

const objectText = ({ kind = '', name = '' }: Event['involvedObject']): string => {
  const type = kind.toLowerCase()
  return name === '' ? type : `${type}/${name}`
}

const sourceText = (event: Stored<Event>): string => {
  const component = event.source?.component || event.reportingComponent || ''
  const place = event.source?.host || event.reportingInstance || ''
  return place === '' ? component : `${component}, ${place}`
}

const COLUMNS: readonly Column[] = [
  textColumn('Last Seen', 'Time since the event was last seen.'),
  textColumn('Type', 'Normal or Warning.'),
  textColumn('Reason', 'Short word for what happened.'),
  textColumn('Object', 'Object that the event is about.'),
  wideColumn('Subobject', 'Part of the object that the event is about.'),
  wideColumn('Source', 'Component that reported the event.'),
  textColumn('Message', 'What happened.'),
  wideColumn('First Seen', 'Time since the event was first seen.'),
  wideColumn('Count', 'Number of times it was seen.'),
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
  createOnUpdate: true,
  freeFinalizers: true,
  nameRule: 'path-segment',
  otherVersions: [eventsGroup],
  // The server writes these even where the client left them out: readers rely on their being there.
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
    seen(now, event.series?.lastObservedTime, event.lastTimestamp, event.firstTimestamp, event.eventTime),
    event.type ?? '',
    event.reason ?? '',
    objectText(event.involvedObject),
    event.involvedObject.fieldPath ?? '',
    sourceText(event),
    (event.message ?? '').trim(),
    seen(now, event.firstTimestamp, event.eventTime),
    event.series?.count ?? (event.count || 1),
    event.metadata.name,
  ],
  // Asked too which fields there are, with an object that has none.
  selectableFields: ({ involvedObject: about = {}, ...event }) => ({
    'involvedObject.kind': about.kind ?? '',
    'involvedObject.namespace': about.namespace ?? '',
    'involvedObject.name': about.name ?? '',
    'involvedObject.uid': about.uid ?? '',
    'involvedObject.apiVersion': about.apiVersion ?? '',
    'involvedObject.resourceVersion': about.resourceVersion ?? '',
    'involvedObject.fieldPath': about.fieldPath ?? '',
    reason: event.reason ?? '',
    reportingComponent: event.reportingComponent ?? '',
    source: event.source?.component || event.reportingComponent || '',
    type: event.type ?? '',
  }),
})
