/** Describes the symptoms of an incident from telemetry and objects, without the cause. */
import { toJourneyLimits } from '#exam/oracles'
import {
  type ApiObject,
  type EdgeStatistics,
  isReady,
  type KubeObject,
  type ScalableKind,
  type TimeRange,
  viewAs,
} from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'
import { isLaboratoryObject } from '../laboratory/laboratory-namespace.ts'

/** The maximum number of lines in a section. */
const MAX_LINES = 8
const MAX_LINE_CHARACTERS = 240
const MAX_WARNINGS = 50
/** An edge is reported as slower if its p95 grew by this factor and by this many milliseconds. */
const MIN_SLOWDOWN = 1.5
const MIN_SLOWER_MS = 20

const toPercent = (part: number, whole: number): string =>
  `${Math.round((100 * part) / Math.max(1, whole))} %`

const toSection = (title: string, lines: readonly string[]): string =>
  [`${title}:`, ...(lines.length === 0 ? ['- none'] : lines.map((line) => `- ${line}`))].join('\n')

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}...` : line
}

/** The higher of the two middle values, as oracles compute it; 0 without values. */
const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

const listWorst = (lines: readonly { readonly text: string; readonly severity: number }[]): string[] =>
  lines
    .toSorted((a, b) => b.severity - a.severity)
    .slice(0, MAX_LINES)
    .map(({ text }) => text)

/** How long the users of a journey have been waiting whose runs have not ended. */
export type Waiting = ReadonlyMap<string, readonly number[]>

const describeWaiting = (waits: readonly number[]): string =>
  `${waits.length} ${waits.length === 1 ? 'user has' : 'users have'} been waiting for up to ${Math.round(Math.max(...waits))} ms`

/** The runs of each journey that started at `since` or later, compared with the baseline. */
const describeJourneys = ({ journeys }: Equipment, since: number, waiting: Waiting): string[] =>
  listWorst(
    journeys.healthy.toBaseline().flatMap((baseline) => {
      const { journey, p50, failures, runs: runsBefore } = baseline
      const runs = journeys.collected.filter((run) => run.journey === journey && run.started >= since)
      const { unacceptableMs } = toJourneyLimits(baseline)
      const waits = (waiting.get(journey) ?? []).filter((waitedMs) => waitedMs > unacceptableMs)
      const longest = Math.max(0, ...waits)
      if (runs.length === 0 && waits.length === 0) return []
      if (runs.length === 0) {
        const text = `journey ${journey}: no run has ended, ${describeWaiting(waits)}; median ${Math.round(p50)} ms before`
        return [{ text, severity: waits.length * 1000 + longest }]
      }
      const failed = runs.filter(({ ok }) => !ok)
      const p50Now = medianOf(runs.map(({ latencyMs }) => latencyMs))
      const step = failed[0]?.failedAt === undefined ? '' : ` (the first at step "${failed[0].failedAt}")`
      const text =
        `journey ${journey}: ${toPercent(failed.length, runs.length)} of ${runs.length} runs failed${step}, ` +
        `${toPercent(failures, runsBefore)} before the incident; median ${Math.round(p50Now)} ms, ` +
        `${Math.round(p50)} ms before` +
        (waits.length === 0 ? '' : `; ${describeWaiting(waits)}`)
      const severity = (failed.length + waits.length) * 1000 + Math.max(0, p50Now - p50, longest)
      return [{ text, severity }]
    }),
  )

const toMs = (p95: number | undefined): string => (p95 === undefined ? 'unknown' : `${Math.round(p95)} ms`)

const describeEarlier = (edge: EdgeStatistics | undefined): string =>
  edge === undefined ? 'no calls before' : `${toMs(edge.p95)} before`

const describeEdges = (now: readonly EdgeStatistics[], before: readonly EdgeStatistics[]): string[] =>
  listWorst(
    now
      .map((edge) => {
        const earlier = before.find(({ from, to }) => from === edge.from && to === edge.to)
        const slowerMs = (edge.p95 ?? 0) - (earlier?.p95 ?? 0)
        const isSlower = slowerMs > MIN_SLOWER_MS && (edge.p95 ?? 0) > MIN_SLOWDOWN * (earlier?.p95 ?? 0)
        const text =
          `${edge.from} to ${edge.to}: ${toPercent(edge.errors, edge.count)} of ${edge.count} calls failed; ` +
          `p95 ${toMs(edge.p95)}, ${describeEarlier(earlier)}`
        return { text, severity: edge.errors * 1000 + (isSlower ? slowerMs : 0) }
      })
      .filter(({ severity }) => severity > 0),
  )

const describePod = (object: ApiObject): string | undefined => {
  const { phase, containerStatuses = [] } = viewAs('Pod', object).status ?? {}
  const restarts = containerStatuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0)
  if (isReady(object) && restarts === 0) return undefined
  const reason = containerStatuses
    .map(({ state }) => state?.waiting?.reason)
    .find((value) => value !== undefined)
  return [
    `pod ${object.metadata.name}: ${phase}`,
    isReady(object) ? 'ready' : 'not ready',
    `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
    ...(reason === undefined ? [] : [reason]),
  ].join(', ')
}

/** A workload with fewer ready pods than it should have. */
const describeWorkload = (object: ApiObject): string | undefined => {
  if (object.kind !== 'Deployment' && object.kind !== 'StatefulSet') return undefined
  const { spec, status }: KubeObject<ScalableKind> = viewAs(object.kind, object)
  const { replicas = 1 } = spec ?? {}
  const { readyReplicas = 0 } = status ?? {}
  if (readyReplicas >= Math.max(1, replicas)) return undefined
  const state = replicas === 0 ? 'scaled to 0 replicas' : `${readyReplicas} of ${replicas} pods ready`
  return `${object.kind} ${object.metadata.name}: ${state}`
}

const describeObjects = async ({ cluster, objects, view }: Equipment): Promise<string[]> => {
  const pods = await cluster.api.list({ apiVersion: 'v1', plural: 'pods', namespace: view.namespace })
  return [...objects.list().map(describeWorkload), ...pods.items.map(describePod)]
    .filter((line) => line !== undefined)
    .slice(0, MAX_LINES)
}

export interface SymptomsWindow {
  readonly since: number
  readonly baseline: TimeRange
  readonly waiting: Waiting
}

/** Describes the symptoms since `since`, compared with the baseline window. */
export const describeSymptoms = async (
  equipment: Equipment,
  { since, baseline, waiting }: SymptomsWindow,
): Promise<string> => {
  const { cluster, time } = equipment
  const { query, flush } = cluster.telemetry!
  await flush()
  const range = { from: since, to: time.precise() }
  const [alerts, errors, graph, graphBefore, events, states] = await Promise.all([
    query.alerts({ active: true }),
    query.errorSamples({ range, limit: MAX_LINES }),
    query.graph(range),
    query.graph(baseline),
    query.events({ range, type: 'Warning', limit: MAX_WARNINGS }),
    describeObjects(equipment),
  ])
  const warnings = events
    .filter(({ object }) => !isLaboratoryObject(object))
    .map(({ object, reason, message }) => shorten(`${object}: ${reason}: ${message}`))
  const alertLines = alerts.slice(0, MAX_LINES).map(({ name, summary }) => shorten(`${name}: ${summary}`))
  const errorLines = errors.map(({ count, span }) =>
    shorten(
      `${span.service} ${span.name}: ${span.message ?? 'failed'} (${count} ${count === 1 ? 'time' : 'times'})`,
    ),
  )
  return [
    toSection('Active alerts', alertLines),
    toSection('User journeys, the most affected first', describeJourneys(equipment, since, waiting)),
    toSection('Errors in traces, the most frequent first', errorLines),
    toSection(
      'Calls between services that fail or are slower than before',
      describeEdges(graph, graphBefore),
    ),
    toSection('Workloads and pods that are not ready or have restarted', states),
    toSection('Warning events of Kubernetes', [...new Set(warnings)].slice(0, MAX_LINES)),
  ].join('\n\n')
}
