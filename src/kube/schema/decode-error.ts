/** The answers to bodies that cannot be decoded, in the real server's words. */
import { type ApiError, badRequest } from '../meta/index.ts'
import type { GroupVersionKind } from './schema.ts'

/** `Deployment in version "v1" cannot be handled as a Deployment: ...` */
export const decodeError = ({ kind, version }: GroupVersionKind, why: string): ApiError =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`)

/** The refusal under fieldValidation=Strict: `strict decoding error: unknown field "spec.foo", ...` */
export const strictDecodingError = (gvk: GroupVersionKind, complaints: readonly string[]): ApiError =>
  decodeError(gvk, `strict decoding error: ${complaints.join(', ')}`)
