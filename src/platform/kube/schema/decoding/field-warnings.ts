/** Warnings about unknown and duplicate fields. */
import { findDuplicateFields, visitFields } from './find-duplicate-fields.ts'

const unknownField = (path: string): string => `unknown field "${path}"`
const duplicateField = (path: string): string => `duplicate field "${path}"`

/** Lists warnings in the order of the text. Skips the contents of unknown fields. */
const warningsInTextOrder = (unknown: readonly string[], jsonText: string): string[] => {
  const unknownPaths = new Set(unknown)
  const warnings = new Set<string>()
  let skipped: string | undefined
  visitFields(jsonText, (path, isRepeated) => {
    if (skipped !== undefined && (path.startsWith(`${skipped}.`) || path.startsWith(`${skipped}[`))) return
    skipped = unknownPaths.has(path) ? path : undefined
    if (skipped !== undefined) warnings.add(unknownField(path))
    else if (isRepeated) warnings.add(duplicateField(path))
  })
  return [...warnings]
}

/**
 * Returns one message per field, for Warning headers and strict decoding errors. kube-apiserver reports the fields of
 * built-in types in text order. For custom resources and patched objects (`duplicatesFirst`) it reports duplicates
 * first, because it checks for unknown fields after parsing.
 */
export const fieldWarnings = (
  unknown: readonly string[],
  jsonText: string | undefined,
  duplicatesFirst: boolean,
): string[] => {
  if (jsonText === undefined) return [...new Set(unknown.map(unknownField))]
  const first = duplicatesFirst
    ? findDuplicateFields(jsonText).map(duplicateField)
    : warningsInTextOrder(unknown, jsonText)
  return [...new Set([...first, ...unknown.map(unknownField)])]
}
