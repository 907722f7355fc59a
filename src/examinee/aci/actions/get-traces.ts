/** The action get_traces. */
import { z } from 'zod'
import { defined } from '#kit'
import type { Span } from '#spec'
import { type ActionContext, ActionRefusal, defineAction } from '../define-action.ts'
import { checkService } from '../list-services.ts'
import { nameText } from '../name-text.ts'
import { sinceSeconds, toTimeRange } from '../time-window.ts'
import { toClock, toMs, toText } from '../to-text.ts'

const DEFAULT_SPANS = 20
const MAX_SPANS = 200

/** Spans deeper in the tree are not indented further. */
const MAX_INDENT = 30

const describeCall = ({ service, name, kind, durationMs, status, message, peer, start }: Span): string => {
  const peerText = peer === undefined ? '' : ` to ${peer}`
  const failureText = status === 'ok' ? '' : ` FAILED: ${message ?? 'no message'}`
  return `${toClock(start)} ${service} ${kind} ${name}${peerText} ${toMs(durationMs)}${failureText}`
}

const describe = (span: Span): string => `${describeCall(span)} [trace ${span.traceId}]`

/** Lists each span below its parent. Each span appears once, even if ids repeat or parents form a cycle. */
const describeTree = (spans: readonly Span[]): string[] => {
  const spanIds = new Set(spans.map(({ spanId }) => spanId))
  const children = Map.groupBy(spans, ({ parentId }) =>
    parentId !== undefined && spanIds.has(parentId) ? parentId : '',
  )
  const lines: string[] = []
  // An explicit stack, because a trace may be deeper than the call stack.
  const stack: { span: Span; depth: number }[] = []
  const pushChildren = (parent: string, depth: number): void => {
    for (const span of children.get(parent)?.toReversed() ?? []) stack.push({ span, depth })
    children.delete(parent)
  }
  for (const root of ['', ...children.keys()]) {
    pushChildren(root, 0)
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      lines.push(`${'. '.repeat(Math.min(next.depth, MAX_INDENT))}${describeCall(next.span)}`)
      pushChildren(next.span.spanId, next.depth + 1)
    }
  }
  return lines
}

const showTrace = async ({ telemetry }: ActionContext, traceId: string) => {
  const spans = await telemetry.trace(traceId)
  if (spans.length === 0)
    throw new ActionRefusal(
      `The trace "${traceId}" does not exist. Call get_traces without trace_id to see spans with their trace ids.`,
    )
  const hint = `Output truncated. To see more, call query_telemetry with SELECT * FROM spans WHERE trace_id = '${traceId}' ORDER BY start.`
  const text = toText(
    [{ title: `Trace ${traceId}, ${spans.length} spans`, lines: describeTree(spans) }],
    hint,
  )
  return { ok: true, text, data: { samples: [], spans } }
}

export const getTraces = defineAction({
  name: 'get_traces',
  about:
    'Returns one example span for each different error, with the number of its occurrences, and the newest spans that ' +
    'match the filters. A span is one call, recorded by its caller or its callee. Pass trace_id to get all spans of one trace ' +
    'as a tree, with each span below the span that caused it.',
  example: { service: 'cart', errors: true, since_seconds: 60 },
  isReadOnly: true,
  reach: 'nothing',
  input: z.strictObject({
    service: nameText.optional().describe('Return only spans of this service.'),
    errors: z
      .boolean()
      .optional()
      .describe('true: return only failed spans. false: return only successful spans. Default: both.'),
    slower_than_ms: z.coerce
      .number()
      .min(0)
      .optional()
      .describe('Return only spans that took longer than this many milliseconds.'),
    trace_id: nameText
      .optional()
      .describe('Return all spans of this trace. All other fields are ignored in this case.'),
    since_seconds: sinceSeconds,
    limit: z.coerce
      .number()
      .int()
      .positive()
      .max(MAX_SPANS)
      .optional()
      .describe(
        `The maximum number of spans; the newest are returned. Default: ${DEFAULT_SPANS}; maximum: ${MAX_SPANS}.`,
      ),
  }),
  async run(context, { service, errors, slower_than_ms, trace_id, since_seconds, limit = DEFAULT_SPANS }) {
    if (trace_id !== undefined) return showTrace(context, trace_id)
    const services = await checkService(context, service)
    const range = await toTimeRange(context, since_seconds)
    const filter = { range, ...defined({ services }) }
    const [samples, spans] = await Promise.all([
      context.telemetry.errorSamples({ ...filter, limit: DEFAULT_SPANS }),
      context.telemetry.spans({
        ...filter,
        limit,
        ...defined({ errors, slowerThanMs: slower_than_ms }),
      }),
    ])
    const text = toText(
      [
        {
          title: 'Errors, most frequent first',
          lines: samples.map(
            ({ count, span }) => `${count} ${count === 1 ? 'time' : 'times'}: ${describe(span)}`,
          ),
          ifEmpty: 'none',
          maxLines: 12,
        },
        { title: 'Spans, newest first', lines: spans.toReversed().map(describe), ifEmpty: 'none match' },
      ],
      'Output truncated. To see more, filter by service, errors or slower_than_ms, pass trace_id, or query the table spans with query_telemetry.',
    )
    return { ok: true, text, data: { samples, spans } }
  },
})
