/** Validates Events. events.k8s.io/v1 is stricter than core v1. */
import type { Event, EventSource, ObjectReference } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import {
  type FieldError,
  invalid,
  qualifiedNameProblems,
  required,
  type Stored,
  validateMetadata,
} from '#platform/kube/meta'

const CORE = 'v1'
const MAX_NAME_BYTES = 128
const MAX_MESSAGE_BYTES = 1024

const isSet = (value: unknown): boolean => value !== undefined && value !== null

const namespaceMismatch = (event: Stored<Event>): FieldError =>
  invalid('involvedObject.namespace', event.involvedObject?.namespace ?? '', 'does not match event.namespace')

const validateLength = (field: string, text: string, limit: number): FieldError[] =>
  Buffer.byteLength(text) > limit ? [invalid(field, '', `can have at most ${limit} characters`)] : []

const validateName = (field: string, text: string): FieldError[] => [
  ...(text === '' ? [required(field)] : []),
  ...validateLength(field, text, MAX_NAME_BYTES),
]

/** An old-style event has no `eventTime`. It must be in the namespace of its involved object. */
const validateOldStyle = (event: Stored<Event>): FieldError[] => {
  const { namespace = '' } = event.metadata
  const objectNamespace = event.involvedObject?.namespace ?? ''
  const matches =
    objectNamespace === '' ? namespace === '' || namespace === 'default' : objectNamespace === namespace
  return matches ? [] : [namespaceMismatch(event)]
}

const validateNewStyle = (event: Stored<Event>, reporterField: string): FieldError[] => {
  const { reportingComponent = '', reportingInstance = '', action = '', reason = '', message = '' } = event
  const { namespace = '' } = event.metadata
  const isSystemNamespace = namespace === 'default' || namespace === 'kube-system'
  return [
    ...((event.involvedObject?.namespace ?? '') === '' && !isSystemNamespace
      ? [namespaceMismatch(event)]
      : []),
    ...(reportingComponent === '' ? [required(reporterField)] : []),
    ...qualifiedNameProblems(reportingComponent).map((problem) =>
      invalid(reporterField, reportingComponent, problem),
    ),
    ...validateName('reportingInstance', reportingInstance),
    ...validateName('action', action),
    ...validateName('reason', reason),
    ...validateLength('message', message, MAX_MESSAGE_BYTES),
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

const goReference = (reference: ObjectReference | undefined): { go: string } | null => {
  if (reference === undefined) return null
  const { kind = '', namespace = '', name = '', uid = '', apiVersion = '' } = reference
  const { resourceVersion = '', fieldPath = '' } = reference
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

/** Formats a time as Go prints it: `2026-01-02 03:04:05 +0000 UTC`. */
const goTime = (time: string | null | undefined): { go: string } => {
  const [date, clock] = (time ?? '0001-01-01T00:00:00Z').replace('Z', '').split('T') as [string, string]
  return { go: `${date} ${clock.replace(/\.0+$/, '').replace(/(\.\d*?)0+$/, '$1')} +0000 UTC` }
}

/** Rejects changes to all fields except `series`. */
const validateUnchanged = (event: Stored<Event>, old: Stored<Event>): FieldError[] => {
  const fields: readonly (readonly [string, (event: Stored<Event>) => unknown])[] = [
    ['involvedObject', (event) => goReference(event.involvedObject)],
    ['reason', (event) => event.reason ?? ''],
    ['message', (event) => event.message ?? ''],
    ['source', (event) => goSource(event.source)],
    ['firstTimestamp', (event) => goTime(event.firstTimestamp)],
    ['lastTimestamp', (event) => goTime(event.lastTimestamp)],
    ['count', (event) => event.count ?? 0],
    ['type', (event) => event.type ?? ''],
    ['eventTime', (event) => goTime(event.eventTime)],
    ['action', (event) => event.action ?? ''],
    ['related', (event) => goReference(event.related)],
    ['reportingController', (event) => event.reportingComponent ?? ''],
    ['reportingInstance', (event) => event.reportingInstance ?? ''],
  ]
  return fields.flatMap(([field, toGo]) =>
    deepEqual(toGo(event), toGo(old)) ? [] : [invalid(field, toGo(event), 'field is immutable')],
  )
}

/** Validates an event. `apiVersion` is the version that the client wrote. */
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
  return [...lenient, ...series, ...validateUnchanged(event, old)]
}
