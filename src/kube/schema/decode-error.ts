/** The answers to bodies that cannot be decoded, in the real server's words. */
import { type ApiError, badRequest } from '../meta/index.ts'
import type { GroupVersionKind } from './schema.ts'

/** `Deployment in version "v1" cannot be handled as a Deployment: ...` */
export const decodeError = ({ kind, version }: GroupVersionKind, why: string): ApiError =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`)

/** One text per field that is unknown or given twice: the Warning headers of fieldValidation=Warn. */
export const fieldWarnings = (unknown: readonly string[], duplicates: readonly string[]): string[] => [
  ...new Set([
    ...unknown.map((path) => `unknown field "${path}"`),
    ...duplicates.map((path) => `duplicate field "${path}"`),
  ]),
]

/** The refusal under fieldValidation=Strict: `strict decoding error: unknown field "spec.foo", ...` */
export const strictDecodingError = (
  gvk: GroupVersionKind,
  unknown: readonly string[],
  duplicates: readonly string[],
  /** What the parser had to say before the fields were looked at. */
  parserErrors: readonly string[] = [],
): ApiError => {
  const reasons = [...parserErrors, ...fieldWarnings(unknown, duplicates)]
  return decodeError(gvk, `strict decoding error: ${reasons.join(', ')}`)
}
