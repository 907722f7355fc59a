/** The action get_topology. */
import { z } from 'zod'
import type { EdgeStatistics } from '../../spec/index.ts'
import { defineAction } from '../define-action.ts'
import { servicesOf } from '../services-of.ts'
import { describeRange, sinceSeconds, windowOf } from '../time-window.ts'
import { toMs, toPercent, toText } from '../to-text.ts'

const DEFAULT_SECONDS = 10

const describe = (edge: EdgeStatistics, before: EdgeStatistics | undefined): string =>
  `${edge.from} -> ${edge.to}: ${edge.rate.toFixed(1)}/s, ${toPercent(edge.errorRate)} fail, p95 ${toMs(edge.p95)}` +
  (before === undefined
    ? ' (before: no calls)'
    : ` (before: ${before.rate.toFixed(1)}/s, ${toPercent(before.errorRate)} fail, p95 ${toMs(before.p95)})`)

/** How much worse than before: failures weigh most, then time. */
const worseness = (edge: EdgeStatistics, before: EdgeStatistics | undefined): number =>
  (edge.errorRate - (before?.errorRate ?? 0)) * 1e6 + (edge.p95 ?? 0) - (before?.p95 ?? 0)

export const getTopology = defineAction({
  name: 'get_topology',
  about:
    'Gives the graph of services: who calls whom, how often, how many calls fail and how long they take, now and ' +
    'before, when users were well. Edges that got worse come first. Follow failing or slow edges from the entry to ' +
    'the deepest service: what fails there is nearest to the cause. Calls that have vanished are listed, too.',
  example: { since_seconds: 10 },
  isReadOnly: true,
  input: z.strictObject({
    since_seconds: sinceSeconds.describe(
      `How many seconds back from now count as now; ${DEFAULT_SECONDS} where absent.`,
    ),
  }),
  async run(context, { since_seconds = DEFAULT_SECONDS }) {
    const now = await windowOf(context, since_seconds)
    const then = context.calm ?? { from: now.from - (now.to - now.from), to: now.from }
    const [services, edges, before] = await Promise.all([
      servicesOf(context),
      context.telemetry.graph(now),
      context.telemetry.graph(then),
    ])
    const find = (all: readonly EdgeStatistics[], edge: EdgeStatistics): EdgeStatistics | undefined =>
      all.find(({ from, to }) => from === edge.from && to === edge.to)
    const sorted = edges.toSorted(
      (one, other) => worseness(other, find(before, other)) - worseness(one, find(before, one)),
    )
    const vanished = before.filter((edge) => find(edges, edge) === undefined)
    const text = toText(
      [
        {
          title: `Calls in the last ${describeRange(now)}; before: ${describeRange(then)}`,
          lines: sorted.map((edge) => describe(edge, find(before, edge))),
          otherwise: 'none',
        },
        {
          title: 'Calls that there were before and are not now',
          lines: vanished.map(({ from, to, rate }) => `${from} -> ${to}: ${rate.toFixed(1)}/s before`),
        },
        { title: 'Services', lines: services },
      ],
      'The rest: query_telemetry with SELECT * FROM edges, get_metrics with a service, or get_objects with the kind Deployment or StatefulSet.',
    )
    return { ok: true, text, data: { services, edges, before } }
  },
})
