/** A call to somebody else as it is seen from outside: a span, a count, and its failure in the original's words. */
import { CallFailure, type FailureKind, type OpenSpan, toCallFailure } from '../ports/index.ts'
import { toTraceparent } from '../watch/index.ts'
import type { Compiling } from './compiling.ts'
import { describeFailure } from './describe-failure.ts'
import type { Execution } from './execution.ts'
import { StepFailure } from './step-failure.ts'

export interface ObservedCall {
  readonly peer: string
  readonly operation: string
  /** Of the peer. */
  readonly wire: string
  readonly kind: 'client' | 'producer'
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

/** `traceparent` is what goes along with the call. */
export type Carry<T> = (traceparent: string, span: OpenSpan) => Promise<T>

const observeOnce = async <T>(
  call: ObservedCall,
  execution: Execution,
  { surroundings, format }: Compiling,
  carry: Carry<T>,
): Promise<T> => {
  const { tracer, meter } = surroundings
  const { peer, operation, kind, wire, attributes } = call
  const began = performance.now()
  const span = tracer.start({ name: operation, kind, peer, attributes }, execution.context)
  try {
    const result = await carry(toTraceparent(span.context), span)
    span.end()
    meter.called(peer, operation, 'ok', performance.now() - began)
    return result
  } catch (error) {
    const failure = isOfTheWire(error) ? toCallFailure(error) : undefined
    span.end(failure?.message ?? String(error))
    meter.called(peer, operation, failure?.kind ?? 'internal', performance.now() - began)
    if (failure === undefined) throw error
    throw new StepFailure(
      describeFailure(format, { peer, operation, wire, failure }),
      undefined,
      peer,
      failure,
    )
  }
}

const isOfTheWire = (error: unknown): boolean =>
  error instanceof CallFailure || (error instanceof Error && 'code' in error)

/** Nobody answered; what was answered is not asked again. */
const UNANSWERED: readonly FailureKind[] = ['refused', 'reset', 'timeout']

const isUnanswered = (error: unknown): boolean =>
  error instanceof StepFailure && error.cause instanceof CallFailure && UNANSWERED.includes(error.cause.kind)

/**
 * Rejects with a StepFailure where the call failed, and as it is with anything else. Where the upstream says so it is
 * tried again, each time as a call of its own.
 */
export const observeCall = async <T>(
  call: ObservedCall,
  execution: Execution,
  compiling: Compiling,
  carry: Carry<T>,
): Promise<T> => {
  const { attempts, backoffMs } = compiling.surroundings.retryOf?.(call.peer) ?? { attempts: 1, backoffMs: 0 }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await observeOnce(call, execution, compiling, carry)
    } catch (error) {
      if (attempt >= attempts || !isUnanswered(error)) throw error
      if (backoffMs > 0) await new Promise((resolve) => setTimeout(resolve, backoffMs))
    }
  }
}
