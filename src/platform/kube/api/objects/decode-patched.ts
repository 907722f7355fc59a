/** Decodes a patched object; errors of the patched fields are reported as an invalid patch. */
import { invalid, invalidObject, type KubeObject } from '#platform/kube/meta'
import { goText } from '#platform/kube/patch'
import { DecodeError } from '#platform/kube/schema'
import type { ApiCall, Body } from '../request/api-call.ts'
import { type DecodeOptions, decodeBody, type ExpectedType } from '../request/decode-call-body.ts'

/** The value that the message quotes: the patch of a strategic merge, otherwise the patched object. */
const quotedValue = ({ patchType, body }: ApiCall, patched: unknown): string =>
  patchType === 'strategic' ? goText(body!.value) : JSON.stringify(patched)

/** Throws ApiError 422 without a kind if the patched object has unknown fields or values of the wrong type. */
export const decodePatched = (
  call: ApiCall,
  expected: ExpectedType,
  patched: Body,
  options: DecodeOptions,
): KubeObject => {
  try {
    return decodeBody(expected, patched, options)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const detail = call.patchType === 'strategic' ? error.converterDetail : error.detail
    throw invalidObject('', '', '', [invalid('patch', quotedValue(call, patched.value), detail)])
  }
}
