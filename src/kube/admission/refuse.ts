/** The refusals of admission plugins, named after what the client asked for. */
import { type ApiError, forbidden } from '../meta/index.ts'
import type { AdmissionRequest } from '../ports/index.ts'

const SUFFIX_LENGTH = 5

/** While a draft may still be changed, a real server has not made up its name yet: it speaks of the prefix. */
const nameBeforeCreation = ({ operation, object, name }: AdmissionRequest): string => {
  const prefix = operation === 'CREATE' ? object?.metadata.generateName : undefined
  return prefix !== undefined && name.length === prefix.length + SUFFIX_LENGTH && name.startsWith(prefix)
    ? prefix
    : name
}

/** Refuses in the first round, where drafts are changed. */
export const refuseDraft = (request: AdmissionRequest, why: string): ApiError =>
  forbidden(request.kind, nameBeforeCreation(request), why)

/** Refuses in the second round. */
export const refuse = (request: AdmissionRequest, why: string): ApiError =>
  forbidden(request.kind, request.name, why)

/** Several findings as Go joins them; one stands alone. */
export const joined = (findings: readonly string[]): string =>
  findings.length === 1 ? findings[0]! : `[${findings.join(', ')}]`
