/** Labels and annotations that people and tools leave on the objects that they repair. */
import type { ApiObject } from '#spec'

/** Labels and annotations that an engineer adds during an incident. */
export const INCIDENT_NOTES = {
  labels: { incident: 'INC-2041' },
  annotations: {
    'kubernetes.io/change-cause': 'INC-2041: repaired by the engineer on call',
    'incident.example.com/summary': 'a wrong change was rolled back',
  },
} as const

type Notes = { readonly labels?: object; readonly annotations?: object }

/** Adds labels and annotations to the object, not to its pod template. */
export const withNotes = (manifest: ApiObject, { labels, annotations }: Notes): ApiObject => ({
  ...manifest,
  metadata: {
    ...manifest.metadata,
    labels: { ...(manifest.metadata.labels as object), ...labels },
    annotations: { ...(manifest.metadata.annotations as object), ...annotations },
  },
})
