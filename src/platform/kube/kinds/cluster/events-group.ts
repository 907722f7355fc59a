/** Converts Events between core v1, which is stored, and events.k8s.io/v1. */
import type { KubeObject } from '#platform/kube/meta'
import type { ServedVersion } from '../define-kind.ts'

/** Fields that have one name in core v1 and another in events.k8s.io/v1. */
const RENAMED_FIELDS: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
]

const rename = (object: KubeObject, apiVersion: string, names: ReadonlyMap<string, string>): KubeObject => {
  const renamed: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(object)) renamed[names.get(field) ?? field] = value
  return { ...(renamed as KubeObject), apiVersion }
}

const TO_EVENTS_GROUP = new Map(RENAMED_FIELDS)
const TO_CORE = new Map(RENAMED_FIELDS.map(([core, served]) => [served, core]))

const REFERENCE_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

const FIELD_NAMES = {
  ...Object.fromEntries(REFERENCE_FIELDS.map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
  reason: 'reason',
  reportingController: 'reportingComponent',
  source: 'source',
  type: 'type',
}

const toServed = (event: KubeObject): KubeObject => rename(event, 'events.k8s.io/v1', TO_EVENTS_GROUP)

const fromServed = (event: KubeObject): KubeObject => rename(event, 'v1', TO_CORE)

export const eventsGroup: ServedVersion = {
  group: 'events.k8s.io',
  version: 'v1',
  toServed,
  fromServed,
  fieldNames: FIELD_NAMES,
}
