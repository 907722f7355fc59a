/** The response to a failed request: the error page that the service declares, or that of its framework. */
import type { IncomingRequest, OutgoingAnswer } from '#world/twin/ports'
import type { CompiledBehaviour } from './compile-behaviour.ts'
import type { Names, RunningService } from './execution.ts'
import { type Failure, toFailureAnswer } from './failure-answer.ts'
import { toRequestValue } from './request-value.ts'

export const createFailurePage =
  (
    { failurePage, format }: CompiledBehaviour,
    { host, base }: RunningService,
  ): ((request: IncomingRequest, failure: Failure) => OutgoingAnswer) =>
  (request, failure) => {
    if (failurePage === undefined || request.method === 'RPC')
      return toFailureAnswer(format, request, failure, host.time.now())
    const { status, message } = failure
    const scope: Names = Object.create(base)
    Object.assign(scope, { request: toRequestValue(request, {}), status, error: message })
    return {
      status,
      body: failurePage({ scope, host }),
      headers: { 'content-type': 'text/html; charset=utf-8' },
    }
  }
