/** The Forbidden errors of admission plugins. */
import { type ApiError, forbidden } from '#platform/kube/meta'
import type { AdmissionRequest } from '#platform/kube/ports'

const SUFFIX_CHARACTERS = 5

/** A real server generates names after the mutating phase, so messages of that phase contain the prefix. */
const nameBeforeCreation = ({ operation, object, name }: AdmissionRequest): string => {
  const prefix = operation === 'CREATE' ? object?.metadata.generateName : undefined
  return prefix !== undefined && name.length === prefix.length + SUFFIX_CHARACTERS && name.startsWith(prefix)
    ? prefix
    : name
}

/** For the mutating phase. */
export const forbiddenDraftError = (request: AdmissionRequest, detail: string): ApiError =>
  forbidden(request.kind, nameBeforeCreation(request), detail)

/** For the validating phase. */
export const forbiddenError = (request: AdmissionRequest, detail: string): ApiError =>
  forbidden(request.kind, request.name, detail)

/** Joins messages as Go does: in brackets if there are several. */
export const joinFindings = (findings: readonly string[]): string =>
  findings.length === 1 ? findings[0]! : `[${findings.join(', ')}]`
