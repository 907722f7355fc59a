/** The annotation that client-side apply leaves, and what server-side apply by kubectl makes of it. */
import type { FieldSet } from '../meta/index.ts'
import type { Schema } from '../schema/index.ts'
import { changedFields } from './changed-fields.ts'
import { difference, NO_FIELDS } from './field-set.ts'
import { fieldsOf } from './fields-of.ts'
import { isPlainObject } from './plain-object.ts'

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

/** Fields that were applied by the client and are still as it applied them: kubectl may take them over. */
export const unchangedSinceLastApplied = (schema: Schema, live: Annotated): FieldSet => {
  const applied = parse(live.metadata?.annotations?.[ANNOTATION] ?? '')
  if (applied === undefined || applied.apiVersion !== live.apiVersion) return NO_FIELDS
  const fields = fieldsOf(schema, applied)
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

/** The object with its annotation brought up to date, where it has one. */
export const refreshLastApplied = <T extends Annotated>(object: T, applied: Annotated): T => {
  const annotations = object.metadata?.annotations
  if (!annotations?.[ANNOTATION]) return object
  const { [ANNOTATION]: _, ...own } = applied.metadata?.annotations ?? {}
  const bare = applied.metadata?.annotations
    ? { ...applied, metadata: { ...applied.metadata, annotations: own } }
    : applied
  const text = `${JSON.stringify(sortKeys(bare))}\n`
  if (annotations[ANNOTATION] === text) return object
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [ANNOTATION]: text } } }
}
