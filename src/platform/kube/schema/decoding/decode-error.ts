/** The 400 errors for bodies that cannot be decoded, with the messages of kube-apiserver. */
import { ApiError } from '#platform/kube/meta'
import type { GroupVersionKind } from '../schema.ts'

/** `Deployment in version "v1" cannot be handled as a Deployment: ...` */
export class DecodeError extends ApiError {
  readonly detail: string
  /** The detail in the response to a strategic merge patch, for which a real server uses another decoder. */
  readonly converterDetail: string

  constructor({ kind, version }: GroupVersionKind, detail: string, converterDetail = detail) {
    super(400, 'BadRequest', `${kind} in version "${version}" cannot be handled as a ${kind}: ${detail}`)
    this.detail = detail
    this.converterDetail = converterDetail
  }
}

export const decodeError = (gvk: GroupVersionKind, detail: string, converterDetail?: string): DecodeError =>
  new DecodeError(gvk, detail, converterDetail)

/** The error under fieldValidation=Strict: `strict decoding error: unknown field "spec.foo", ...` */
export const strictDecodingError = (gvk: GroupVersionKind, warnings: readonly string[]): DecodeError =>
  decodeError(gvk, `strict decoding error: ${warnings.join(', ')}`)
