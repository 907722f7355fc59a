/** The page that a service shows instead of its framework's answer to a request that failed. */
import type { IncomingRequest, OutgoingAnswer } from '../ports/index.ts'
import { type Compiling, compileOptional } from './compiling.ts'
import type { Names } from './execution.ts'
import { type FailureAnswer, toFailureAnswer } from './failure-answer.ts'
import { toRequestValue } from './incoming.ts'

/** `base` has what all requests see. */
export const createFailurePage = (
  compiling: Compiling,
  base: Names,
): ((request: IncomingRequest, failure: FailureAnswer) => OutgoingAnswer) => {
  const { slice } = compiling.surroundings
  const page = compileOptional(slice.behaviour.failurePage, `${slice.service}.failurePage`, compiling)
  return (request, failure) => {
    if (page === undefined || request.method === 'RPC')
      return toFailureAnswer(compiling.format, request, failure)
    const { status, message } = failure
    const scope: Names = Object.create(base)
    Object.assign(scope, { request: toRequestValue(request, {}), status, error: message })
    return {
      status,
      body: page({ scope }),
      headers: { 'content-type': 'text/html; charset=utf-8' },
    }
  }
}
