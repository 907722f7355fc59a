/** Objects as an agent gets to see them: without what nobody reads, and as YAML of no more than some length. */
import { yamlLibrary } from '../kit/index.ts'
import type { ApiObject } from '../spec/index.ts'
import { clip } from './to-text.ts'

const MASK = '(hidden; ask for this Secret by name)'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const without = (record: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> => {
  const { [key]: _, ...rest } = record
  return rest
}

const maskValues = (values: unknown): Record<string, string> =>
  Object.fromEntries(Object.keys((values ?? {}) as object).map((key) => [key, MASK]))

/** Values of secrets are hidden where `isNamed` is false. */
export const showObject = (object: ApiObject, isNamed: boolean): ApiObject => {
  const { managedFields: _, annotations, ...metadata } = object.metadata
  const kept = annotations === undefined ? {} : without(annotations as Record<string, unknown>, LAST_APPLIED)
  const shown = {
    ...object,
    metadata: { ...metadata, ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }) },
  } as ApiObject
  return object.kind === 'Secret' && !isNamed ? { ...shown, data: maskValues(object.data) } : shown
}

/** Of one value, tried in this order: the mistake may be in the middle of a long file of a ConfigMap. */
const VALUE_LETTERS = [Number.POSITIVE_INFINITY, 3200, 1600, 800, 400]

const stringify = (object: ApiObject, letters: number): string =>
  yamlLibrary().stringify(
    object,
    (_key: unknown, value: unknown) => (typeof value === 'string' ? clip(value, letters, 0.7) : value),
    { lineWidth: 0 },
  )

/** For reading: whole where it has `most` letters or fewer; otherwise the longest values are shortened. */
export const toYaml = (object: ApiObject, most: number): { text: string; isShortened: boolean } => {
  let text = ''
  for (const letters of VALUE_LETTERS) {
    text = stringify(object, letters)
    if (text.length <= most) return { text, isShortened: letters !== VALUE_LETTERS[0] }
  }
  return { text: clip(text, most, 0.7), isShortened: true }
}
