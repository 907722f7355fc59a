/** The action get_topology. */
import { z } from 'zod'
import type { EdgeStatistics } from '#spec'
import { defineAction } from '../define-action.ts'
import { listServices } from '../list-services.ts'
import { describeRange, sinceSeconds, toTimeRange } from '../time-window.ts'
import { toMs, toPercent, toText } from '../to-text.ts'

const DEFAULT_SECONDS = 10

const describe = (edge: EdgeStatistics, before: EdgeStatistics | undefined): string =>
  `${edge.from} -> ${edge.to}: ${edge.rate.toFixed(1)}/s, ${toPercent(edge.errorRate)} fail, p95 ${toMs(edge.p95)}` +
  (before === undefined
    ? ' (baseline: no calls)'
    : ` (baseline: ${before.rate.toFixed(1)}/s, ${toPercent(before.errorRate)} fail, p95 ${toMs(before.p95)})`)

/** How much worse an edge is than in the baseline. The latency decides only if the error rates grew equally. */
const degradationOf = (edge: EdgeStatistics, before: EdgeStatistics | undefined): number =>
  (edge.errorRate - (before?.errorRate ?? 0)) * 1e6 + (edge.p95 ?? 0) - (before?.p95 ?? 0)

export const getTopology = defineAction({
  name: 'get_topology',
  about:
    'Returns the call graph of the services: for each caller and callee the call rate, the error rate and the p95 latency, ' +
    'now and in the baseline window, a period before the incident. Edges that degraded most come first. Edges that had ' +
    'calls in the baseline window and have none now are listed separately. A service that calls a failing or slow ' +
    'service often becomes failing or slow itself.',
  example: { since_seconds: 10 },
  isReadOnly: true,
  reach: 'nothing',
  input: z.strictObject({
    since_seconds: sinceSeconds.describe(
      `The length in seconds of the period, ending now, that is compared with the baseline window. Default: ${DEFAULT_SECONDS}.`,
    ),
  }),
  async run(context, { since_seconds = DEFAULT_SECONDS }) {
    const now = await toTimeRange(context, since_seconds)
    const baselineRange = context.baselineWindow ?? { from: now.from - (now.to - now.from), to: now.from }
    const [services, edges, before] = await Promise.all([
      listServices(context),
      context.telemetry.graph(now),
      context.telemetry.graph(baselineRange),
    ])
    const findEdge = (all: readonly EdgeStatistics[], edge: EdgeStatistics): EdgeStatistics | undefined =>
      all.find(({ from, to }) => from === edge.from && to === edge.to)
    const sorted = edges.toSorted(
      (a, b) => degradationOf(b, findEdge(before, b)) - degradationOf(a, findEdge(before, a)),
    )
    const vanished = before.filter((edge) => findEdge(edges, edge) === undefined)
    const text = toText(
      [
        {
          title: `Calls, ${describeRange(now)}; baseline: ${describeRange(baselineRange)}`,
          lines: sorted.map((edge) => describe(edge, findEdge(before, edge))),
          ifEmpty: 'none',
        },
        {
          title: 'Edges with calls in the baseline window and none now',
          lines: vanished.map(({ from, to, rate }) => `${from} -> ${to}: baseline ${rate.toFixed(1)}/s`),
        },
        { title: 'Services', lines: services },
      ],
      'Output truncated. To see more, call query_telemetry with SELECT * FROM edges, get_metrics with a service, or get_objects with the kind Deployment or StatefulSet.',
    )
    return { ok: true, text, data: { services, edges, before } }
  },
})
