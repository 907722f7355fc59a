/** Spans of programs that run inside the engine: a call instead of a socket. */
import type { Span } from '#spec'
import { MAX_SPAN_OFFSET_MS, MAX_TEXT_CHARACTERS } from './parse-span.ts'
import type { PodState } from './pod-index.ts'
import type { OpenSpanSource, SpanReceiver } from './span-source.ts'

export interface DirectSpans {
  readonly open: OpenSpanSource
  /** Accepts a span of the pod with this uid, which must not be changed afterwards. */
  send(podUid: string, span: Span): void
}

/**
 * Returns the span as it counts: from the sending pod, and not later than its arrival. The programs belong to the laboratory, so
 * the form of their spans is not checked.
 */
const acceptSpan = (span: Span, { service, name: pod }: PodState, now: number): Span | undefined => {
  const { start, message = '' } = span
  // The clock of a pod can be shifted by a fault.
  if (!(Math.abs(start - now) < MAX_SPAN_OFFSET_MS)) return undefined
  const isAcceptable =
    start <= now && span.service === service && span.pod === pod && message.length <= MAX_TEXT_CHARACTERS
  if (isAcceptable) return span
  return {
    ...span,
    service,
    pod,
    start: Math.min(start, now),
    ...(span.message === undefined ? {} : { message: message.slice(0, MAX_TEXT_CHARACTERS) }),
  }
}

export const createDirectSpans = (): DirectSpans => {
  const pods = new Map<string, PodState>()
  let receiver: SpanReceiver | undefined
  let rejected = 0
  return {
    open(opened) {
      receiver = opened
      return {
        update: (pod) => void pods.set(pod.uid, pod),
        remove: ({ uid }) => void pods.delete(uid),
        rejected: () => rejected,
        async close() {
          pods.clear()
          receiver = undefined
        },
      }
    },
    send(podUid, span) {
      if (receiver === undefined) return
      const pod = pods.get(podUid)
      const accepted = pod === undefined ? undefined : acceptSpan(span, pod, receiver.clock.now())
      if (accepted === undefined) rejected += 1
      else receiver.onSpans([accepted])
    },
  }
}
