/** Records a call to an upstream in a span and a metric, and describes a failure as the original does. */

import { toTraceparent } from '#world/twin/instrumentation'
import {
  CallFailure,
  type FailureKind,
  type OpenSpan,
  type Retry,
  sleep,
  toCallFailure,
} from '#world/twin/ports'
import type { CompileContext } from './compile-value.ts'
import { describeFailure } from './describe-failure.ts'
import type { Execution } from './execution.ts'
import { StepFailure } from './step-failure.ts'

export interface ObservedCall {
  readonly peer: string
  readonly operation: string
  /** The protocol of the peer. */
  readonly protocol: string
  readonly kind: 'client' | 'producer'
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

/** Sends the call with the header `traceparent`. */
export type SendCall<T> = (traceparent: string, span: OpenSpan) => Promise<T>

const observeOnce = async <T>(
  call: ObservedCall,
  execution: Execution,
  { format }: CompileContext,
  send: SendCall<T>,
): Promise<T> => {
  const { tracer, meter, time } = execution.host
  const { peer, operation, kind, protocol, attributes } = call
  const startedAt = time.monotonic()
  const span = tracer.start({ name: operation, kind, peer, attributes }, execution.context)
  try {
    const result = await send(toTraceparent(span.context), span)
    span.end()
    meter.called(peer, operation, 'ok', time.monotonic() - startedAt)
    return result
  } catch (error) {
    const failure = isCallError(error) ? toCallFailure(error) : undefined
    span.end(failure?.message ?? String(error))
    meter.called(peer, operation, failure?.kind ?? 'internal', time.monotonic() - startedAt)
    if (failure === undefined) throw error
    throw new StepFailure(
      describeFailure(format, { peer, operation, protocol, failure }),
      undefined,
      peer,
      failure,
    )
  }
}

const isCallError = (error: unknown): boolean =>
  error instanceof CallFailure || (error instanceof Error && 'code' in error)

/** The failures that are retried: the upstream could not be reached or did not answer. */
const UNANSWERED: readonly FailureKind[] = ['refused', 'reset', 'timeout']

const isUnanswered = (error: unknown): boolean =>
  error instanceof StepFailure && error.cause instanceof CallFailure && UNANSWERED.includes(error.cause.kind)

/** Each attempt has a separate span. */
const observeWithRetry = async <T>(
  { attempts, backoffMs }: Retry,
  call: ObservedCall,
  execution: Execution,
  context: CompileContext,
  send: SendCall<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await observeOnce(call, execution, context, send)
    } catch (error) {
      if (attempt >= attempts || !isUnanswered(error)) throw error
      if (backoffMs > 0) await sleep(execution.host.time, backoffMs)
    }
  }
}

/** Retries as the upstream declares. Rejects with a StepFailure if the call failed; other errors pass through. */
export const observeCall = <T>(
  call: ObservedCall,
  execution: Execution,
  context: CompileContext,
  send: SendCall<T>,
): Promise<T> => {
  const retry = execution.host.retryOf?.(call.peer)
  return retry === undefined
    ? observeOnce(call, execution, context, send)
    : observeWithRetry(retry, call, execution, context, send)
}
