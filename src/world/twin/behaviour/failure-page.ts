/** The response to a failed request: the error page that the service declares, or that of its framework. */
import type { IncomingRequest, OutgoingAnswer } from '#world/twin/ports'
import { type CompileContext, compileOptional } from './compile-value.ts'
import type { Names } from './execution.ts'
import { type Failure, toFailureAnswer } from './failure-answer.ts'
import { toRequestValue } from './request-value.ts'

/** `base` has the variables of all requests. */
export const createFailurePage = (
  context: CompileContext,
  base: Names,
): ((request: IncomingRequest, failure: Failure) => OutgoingAnswer) => {
  const { slice } = context.host
  const page = compileOptional(slice.behaviour.failurePage, `${slice.service}.failurePage`, context)
  return (request, failure) => {
    if (page === undefined || request.method === 'RPC')
      return toFailureAnswer(context.format, request, failure)
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
