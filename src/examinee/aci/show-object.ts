/** Converts objects for observations: removes bookkeeping fields, hides secrets, and limits the length of the YAML. */
import { yamlLibrary } from '#kit'
import type { ApiObject } from '#spec'
import { clip } from './to-text.ts'

const HIDDEN_VALUE = '(hidden; request this Secret by name)'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const omitKey = (record: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> => {
  const { [key]: _, ...rest } = record
  return rest
}

const hideValues = (values: unknown): Record<string, string> =>
  Object.fromEntries(Object.keys((values ?? {}) as object).map((key) => [key, HIDDEN_VALUE]))

/** Removes managed fields and the last applied configuration. Hides the values of a Secret unless `isNamed`. */
export const showObject = (object: ApiObject, isNamed: boolean): ApiObject => {
  const { managedFields: _, annotations, ...metadata } = object.metadata
  const keptAnnotations =
    annotations === undefined ? {} : omitKey(annotations as Record<string, unknown>, LAST_APPLIED)
  const shown = {
    ...object,
    metadata: {
      ...metadata,
      ...(Object.keys(keptAnnotations).length === 0 ? {} : { annotations: keptAnnotations }),
    },
  } as ApiObject
  return object.kind === 'Secret' && !isNamed ? { ...shown, data: hideValues(object.data) } : shown
}

/** Maximum characters of one value, tried in this order until the YAML is short enough. */
const VALUE_LIMITS = [Number.POSITIVE_INFINITY, 3200, 1600, 800, 400]

const stringify = (object: ApiObject, maxCharacters: number): string =>
  yamlLibrary().stringify(
    object,
    (_key: unknown, value: unknown) => (typeof value === 'string' ? clip(value, maxCharacters, 0.7) : value),
    { lineWidth: 0 },
  )

/** Returns the complete YAML if it has at most `maxCharacters`; otherwise shortens long values, then the text. */
export const toYaml = (object: ApiObject, maxCharacters: number): { text: string; isShortened: boolean } => {
  let text = ''
  for (const limit of VALUE_LIMITS) {
    text = stringify(object, limit)
    if (text.length <= maxCharacters) return { text, isShortened: limit !== VALUE_LIMITS[0] }
  }
  return { text: clip(text, maxCharacters, 0.7), isShortened: true }
}
