/** What is wrong with an Event; events.k8s.io asks more of its clients than core does. */
import type { Event, EventSource, ObjectReference } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import {
  type FieldError,
  invalid,
  qualifiedNameProblems,
  required,
  type Stored,
  validateMetadata,
} from '../meta/index.ts'

const CORE = 'v1'
const NAME_LIMIT = 128
const MESSAGE_LIMIT = 1024

const isSet = (value: unknown): boolean => value !== undefined && value !== null

const misplaced = (event: Stored<Event>): FieldError =>
  invalid('involvedObject.namespace', event.involvedObject?.namespace ?? '', 'does not match event.namespace')

const tooManyCharacters = (field: string, text: string, limit: number): FieldError[] =>
  Buffer.byteLength(text) > limit ? [invalid(field, '', `can have at most ${limit} characters`)] : []

const validateName = (field: string, text: string): FieldError[] => [
  ...(text === '' ? [required(field)] : []),
  ...tooManyCharacters(field, text, NAME_LIMIT),
]

/** Events of the old style, told by their having no eventTime, lie in the namespace of what they are about. */
const validateOldStyle = (event: Stored<Event>): FieldError[] => {
  const { namespace = '' } = event.metadata
  const about = event.involvedObject?.namespace ?? ''
  const matches = about === '' ? namespace === '' || namespace === 'default' : about === namespace
  return matches ? [] : [misplaced(event)]
}

const validateNewStyle = (event: Stored<Event>, reporterField: string): FieldError[] => {
  const { reportingComponent = '', reportingInstance = '', action = '', reason = '', message = '' } = event
  const { namespace = '' } = event.metadata
  const isHome = namespace === 'default' || namespace === 'kube-system'
  return [
    ...((event.involvedObject?.namespace ?? '') === '' && !isHome ? [misplaced(event)] : []),
    ...(reportingComponent === '' ? [required(reporterField)] : []),
    ...qualifiedNameProblems(reportingComponent).map((problem) =>
      invalid(reporterField, reportingComponent, problem),
    ),
    ...validateName('reportingInstance', reportingInstance),
    ...validateName('action', action),
    ...validateName('reason', reason),
    ...tooManyCharacters('message', message, MESSAGE_LIMIT),
  ]
}

const validateSeries = ({ series }: Stored<Event>): FieldError[] =>
  series === undefined
    ? []
    : [
        ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
        ...(isSet(series.lastObservedTime) ? [] : [required('series.lastObservedTime')]),
      ]

const UNSET = 'needs to be unset'

const validateStrictly = (event: Stored<Event>): FieldError[] => {
  const { type = '', count = 0, source } = event
  return [
    ...validateSeries(event),
    ...(isSet(event.eventTime) ? [] : [required('eventTime')]),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...(isSet(event.firstTimestamp) ? [invalid('firstTimestamp', '', UNSET)] : []),
    ...(isSet(event.lastTimestamp) ? [invalid('lastTimestamp', '', UNSET)] : []),
    ...(count === 0 ? [] : [invalid('count', '', UNSET)]),
    ...(source?.component || source?.host ? [invalid('source', '', UNSET)] : []),
  ]
}

const goReference = (about: ObjectReference | undefined): { go: string } | null => {
  if (about === undefined) return null
  const { kind = '', namespace = '', name = '', uid = '', apiVersion = '' } = about
  const { resourceVersion = '', fieldPath = '' } = about
  const members = {
    Kind: kind,
    Namespace: namespace,
    Name: name,
    UID: uid,
    APIVersion: apiVersion,
    ResourceVersion: resourceVersion,
    FieldPath: fieldPath,
  }
  const texts = Object.entries(members).map(([field, text]) => `${field}:${JSON.stringify(text)}`)
  return { go: `core.ObjectReference{${texts.join(', ')}}` }
}

const goSource = ({ component = '', host = '' }: EventSource = {}): { go: string } => ({
  go: `core.EventSource{Component:${JSON.stringify(component)}, Host:${JSON.stringify(host)}}`,
})

/** `2026-01-02T03:04:05.000000Z` as Go prints the instant. */
const goTime = (time: string | null | undefined): { go: string } => {
  const [date, clock] = (time ?? '0001-01-01T00:00:00Z').replace('Z', '').split('T') as [string, string]
  return { go: `${date} ${clock.replace(/\.0+$/, '').replace(/(\.\d*?)0+$/, '$1')} +0000 UTC` }
}

/** All but the series stays as it was reported. */
const changed = (event: Stored<Event>, old: Stored<Event>): FieldError[] => {
  const fields: readonly (readonly [string, (one: Stored<Event>) => unknown])[] = [
    ['involvedObject', (one) => goReference(one.involvedObject)],
    ['reason', (one) => one.reason ?? ''],
    ['message', (one) => one.message ?? ''],
    ['source', (one) => goSource(one.source)],
    ['firstTimestamp', (one) => goTime(one.firstTimestamp)],
    ['lastTimestamp', (one) => goTime(one.lastTimestamp)],
    ['count', (one) => one.count ?? 0],
    ['type', (one) => one.type ?? ''],
    ['eventTime', (one) => goTime(one.eventTime)],
    ['action', (one) => one.action ?? ''],
    ['related', (one) => goReference(one.related)],
    ['reportingController', (one) => one.reportingComponent ?? ''],
    ['reportingInstance', (one) => one.reportingInstance ?? ''],
  ]
  return fields.flatMap(([field, shown]) =>
    deepEqual(shown(event), shown(old)) ? [] : [invalid(field, shown(event), 'field is immutable')],
  )
}

/** `apiVersion` is that of the API through which the event came. */
export const validateEvent = (
  event: Stored<Event>,
  old: Stored<Event> | undefined,
  apiVersion = CORE,
): FieldError[] => {
  const reporterField = apiVersion === CORE ? 'reportingComponent' : 'reportingController'
  const lenient = isSet(event.eventTime) ? validateNewStyle(event, reporterField) : validateOldStyle(event)
  if (apiVersion === CORE) return lenient
  if (old === undefined)
    return [...lenient, ...validateMetadata(event.metadata, { namespaced: true }), ...validateStrictly(event)]
  const series = deepEqual(event.series, old.series) ? [] : validateSeries(event)
  return [...lenient, ...series, ...changed(event, old)]
}
