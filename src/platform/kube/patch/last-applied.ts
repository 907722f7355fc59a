/** The last-applied annotation of client-side apply, and its migration to server-side apply. */
import { isPlainObject } from '#kit'
import type { FieldSet } from '#platform/kube/meta'
import type { Schema } from '#platform/kube/schema'
import { changedFields } from './changed-fields.ts'
import { difference, NO_FIELDS } from './field-set.ts'
import { listFields } from './list-fields.ts'

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'

interface Annotated {
  apiVersion?: string
  metadata?: { annotations?: Readonly<Record<string, string>> | undefined }
}

const parse = (text: string): Annotated | undefined => {
  try {
    const value = JSON.parse(text)
    return isPlainObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the fields that are unchanged since client-side apply. kubectl may take them over. */
export const unchangedSinceLastApplied = (schema: Schema, live: Annotated): FieldSet => {
  const applied = parse(live.metadata?.annotations?.[ANNOTATION] ?? '')
  if (applied === undefined || applied.apiVersion !== live.apiVersion) return NO_FIELDS
  const fields = listFields(schema, applied)
  const changes = changedFields(schema, applied, live)
  return changes === undefined ? fields : difference(difference(fields, changes.changed), changes.removed)
}

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  )
}

/** Returns the object with its annotation updated. An object without the annotation is returned unchanged. */
export const refreshLastApplied = <T extends Annotated>(object: T, applied: Annotated): T => {
  const annotations = object.metadata?.annotations
  if (!annotations?.[ANNOTATION]) return object
  const { [ANNOTATION]: _, ...appliedAnnotations } = applied.metadata?.annotations ?? {}
  const bare = applied.metadata?.annotations
    ? { ...applied, metadata: { ...applied.metadata, annotations: appliedAnnotations } }
    : applied
  const text = `${JSON.stringify(sortKeys(bare))}\n`
  if (annotations[ANNOTATION] === text) return object
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [ANNOTATION]: text } } }
}
