/** The action get_traces. */
import { z } from 'zod'
import type { Span } from '../../spec/index.ts'
import { type ActionContext, ActionRefusal, defineAction } from '../define-action.ts'
import { nameText } from '../name-text.ts'
import { checkService } from '../services-of.ts'
import { sinceSeconds, windowOf } from '../time-window.ts'
import { toClock, toMs, toText } from '../to-text.ts'

const DEFAULT_SPANS = 20
const MOST_SPANS = 200

/** Deeper ones stand there, too. */
const DEEPEST = 30

const describeCall = ({ service, name, kind, durationMs, status, message, peer, start }: Span): string => {
  const to = peer === undefined ? '' : ` to ${peer}`
  const why = status === 'ok' ? '' : ` FAILED: ${message ?? 'no message'}`
  return `${toClock(start)} ${service} ${kind} ${name}${to} ${toMs(durationMs)}${why}`
}

const describe = (span: Span): string => `${describeCall(span)} [trace ${span.traceId}]`

/** Children under their parents, by start; each once, also where ids are not unique or spans are their own parents. */
const describeTree = (spans: readonly Span[]): string[] => {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const children = Map.groupBy(spans, ({ parentId }) =>
    parentId !== undefined && known.has(parentId) ? parentId : '',
  )
  const lines: string[] = []
  // The next to tell is the last: a trace may be deeper than functions can call each other.
  const waiting: { span: Span; depth: number }[] = []
  const wait = (parent: string, depth: number): void => {
    for (const span of children.get(parent)?.toReversed() ?? []) waiting.push({ span, depth })
    children.delete(parent)
  }
  const tellAll = (): void => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      lines.push(`${'. '.repeat(Math.min(next.depth, DEEPEST))}${describeCall(next.span)}`)
      wait(next.span.spanId, next.depth + 1)
    }
  }
  for (const root of ['', ...children.keys()]) {
    wait(root, 0)
    tellAll()
  }
  return lines
}

const showTrace = async ({ telemetry }: ActionContext, traceId: string) => {
  const spans = await telemetry.trace(traceId)
  if (spans.length === 0)
    throw new ActionRefusal(
      `There is no trace "${traceId}". get_traces without trace_id shows spans with the ids of their traces.`,
    )
  const rest = `The rest: query_telemetry with SELECT * FROM spans WHERE trace_id = '${traceId}' ORDER BY start.`
  const text = toText(
    [{ title: `Trace ${traceId}, ${spans.length} spans`, lines: describeTree(spans) }],
    rest,
  )
  return { ok: true, text, data: { samples: [], spans } }
}

export const getTraces = defineAction({
  name: 'get_traces',
  about:
    'Gives examples of failures in traces, one for each different error with how often it came, and the newest spans ' +
    '(calls) that you ask for: of one service, only failed ones, only slow ones. With trace_id one whole trace as a ' +
    'tree: the deepest span that failed or took the time is nearest to the cause.',
  example: { service: 'cart', errors: true, since_seconds: 60 },
  isReadOnly: true,
  input: z.strictObject({
    service: nameText.optional().describe('Only spans of this service.'),
    errors: z.boolean().optional().describe('Only those that failed; with false only those that did not.'),
    slower_than_ms: z.coerce.number().min(0).optional().describe('Only those that took longer.'),
    trace_id: nameText.optional().describe('All spans of this trace; nothing else counts then.'),
    since_seconds: sinceSeconds,
    limit: z.coerce
      .number()
      .int()
      .positive()
      .max(MOST_SPANS)
      .optional()
      .describe(`The newest so many spans; ${DEFAULT_SPANS} where absent, ${MOST_SPANS} at most.`),
  }),
  async run(context, { service, errors, slower_than_ms, trace_id, since_seconds, limit = DEFAULT_SPANS }) {
    if (trace_id !== undefined) return showTrace(context, trace_id)
    const named = await checkService(context, service)
    const range = await windowOf(context, since_seconds)
    const filter = { range, ...(named === undefined ? {} : { services: [named] }) }
    const [samples, spans] = await Promise.all([
      context.telemetry.errorSamples({ ...filter, limit: DEFAULT_SPANS }),
      context.telemetry.spans({
        ...filter,
        limit,
        ...(errors === undefined ? {} : { errors }),
        ...(slower_than_ms === undefined ? {} : { slowerThanMs: slower_than_ms }),
      }),
    ])
    const text = toText(
      [
        {
          title: 'Failures, the most frequent first',
          lines: samples.map(({ count, span }) => `${count} times: ${describe(span)}`),
          otherwise: 'none',
          most: 12,
        },
        { title: 'Spans, the newest first', lines: spans.toReversed().map(describe), otherwise: 'none such' },
      ],
      'The rest: narrow it down by service, errors or slower_than_ms, give a trace_id, or query_telemetry on the table spans.',
    )
    return { ok: true, text, data: { samples, spans } }
  },
})
