/** What is said of fields that a type does not know or that a text gives twice. */
import { findDuplicateFields, visitFields } from './find-duplicate-fields.ts'

const unknownField = (path: string): string => `unknown field "${path}"`
const duplicateField = (path: string): string => `duplicate field "${path}"`

/** In the order of the text. What lies within an unknown field is not looked at. */
const inOrder = (unknown: readonly string[], jsonText: string): string[] => {
  const strange = new Set(unknown)
  const complaints = new Set<string>()
  let skipped: string | undefined
  visitFields(jsonText, (path, isRepeated) => {
    if (skipped !== undefined && (path.startsWith(`${skipped}.`) || path.startsWith(`${skipped}[`))) return
    skipped = strange.has(path) ? path : undefined
    if (skipped !== undefined) complaints.add(unknownField(path))
    else if (isRepeated) complaints.add(duplicateField(path))
  })
  return [...complaints]
}

/**
 * One text per field, for Warning headers and strict refusals. The server reads the fields of its own types as it parses
 * them; those of custom resources and of patched objects (`apart`) only once the whole text has been parsed.
 */
export const fieldComplaints = (
  unknown: readonly string[],
  jsonText: string | undefined,
  apart: boolean,
): string[] => {
  if (jsonText === undefined) return [...new Set(unknown.map(unknownField))]
  const first = apart ? findDuplicateFields(jsonText).map(duplicateField) : inOrder(unknown, jsonText)
  return [...new Set([...first, ...unknown.map(unknownField)])]
}
