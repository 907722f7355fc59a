/** The 400 errors for bodies that cannot be decoded, with the messages of kube-apiserver. */
import { type ApiError, badRequest } from '#platform/kube/meta'
import type { GroupVersionKind } from '../schema.ts'

/** `Deployment in version "v1" cannot be handled as a Deployment: ...` */
export const decodeError = ({ kind, version }: GroupVersionKind, detail: string): ApiError =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${detail}`)

/** The error under fieldValidation=Strict: `strict decoding error: unknown field "spec.foo", ...` */
export const strictDecodingError = (gvk: GroupVersionKind, warnings: readonly string[]): ApiError =>
  decodeError(gvk, `strict decoding error: ${warnings.join(', ')}`)
