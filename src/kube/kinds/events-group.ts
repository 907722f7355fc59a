/** The two forms of an Event: core v1, which is stored, and events.k8s.io/v1. */
import type { KubeObject } from '../meta/index.ts'

/** Core's name of a field and the name it has in events.k8s.io; fields not listed are called alike. */
const NAMES: readonly (readonly [string, string])[] = [
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

const TO_EVENTS_GROUP = new Map(NAMES)
const TO_CORE = new Map(NAMES.map(([core, served]) => [served, core]))

export const toEventsGroup = (event: KubeObject): KubeObject =>
  rename(event, 'events.k8s.io/v1', TO_EVENTS_GROUP)

export const fromEventsGroup = (event: KubeObject): KubeObject => rename(event, 'v1', TO_CORE)
