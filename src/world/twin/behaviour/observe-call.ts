/** Records a call to an upstream in a span and a metric, and describes a failure as the original does. */

import { toTraceparent } from '#world/twin/instrumentation'
import { CallFailure, type FailureKind, type OpenSpan, sleep, toCallFailure } from '#world/twin/ports'
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

/**
 * Retries as the upstream declares; each attempt has a separate span. Rejects with a StepFailure if the call
 * failed; other errors pass through.
 */
export const observeCall = async <T>(
  call: ObservedCall,
  execution: Execution,
  context: CompileContext,
  send: SendCall<T>,
): Promise<T> => {
  const { host } = execution
  const { attempts, backoffMs } = host.retryOf?.(call.peer) ?? { attempts: 1, backoffMs: 0 }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await observeOnce(call, execution, context, send)
    } catch (error) {
      if (attempt >= attempts || !isUnanswered(error)) throw error
      if (backoffMs > 0) await sleep(host.time, backoffMs)
    }
  }
}
