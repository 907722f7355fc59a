/** Errors of a strategic merge patch. kube-apiserver returns them as 500 without a reason. */
import { ApiError } from '#platform/kube/meta'
import { goText, goType } from './go-text.ts'

export const patchFailure = (message: string): ApiError => new ApiError(500, '', message)

export const noMergeKey = (element: unknown, mergeKey: string): ApiError =>
  patchFailure(`map: ${goText(element)} does not contain declared merge key: ${mergeKey}`)

export const badType = (expected: unknown, actual: unknown): ApiError =>
  patchFailure(`expected a ${goType(expected)}, but received a ${goType(actual)}`)
