/** The stage that tells the solver what is known: the diagnosis report. */
import type { ApiObject, EdgeStatistics, Problem } from '../spec/index.ts'
import type { EventLog } from './event-log.ts'
import type { LabCore } from './lab-core.ts'
import { isOfLaboratory } from './laboratory.ts'

const MOST_LINES = 8
/** Slower than this many times before, and by so many milliseconds: worth a line. */
const SLOWER_TIMES = 1.5
const SLOWER_MS = 20
const MOST_LETTERS = 240

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / Math.max(1, whole))} %`

const section = (title: string, lines: readonly string[], otherwise: string): string =>
  [`${title}:`, ...(lines.length === 0 ? [`- ${otherwise}`] : lines.map((line) => `- ${line}`))].join('\n')

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS)}...` : line
}

/** The higher of two, as judges have it, but nothing where nobody walked: solvers read it. */
const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0

/** How users fare since the injection, beside how they fared before. */
const describeUsers = ({ healthy, walks }: LabCore): string[] =>
  healthy
    .toBaseline()
    .map(({ journey, p50, failures, walks: before }) => {
      const now = walks.filter((walk) => walk.journey === journey)
      const failed = now.filter(({ ok }) => !ok)
      const p50Now = median(now.map(({ latencyMs }) => latencyMs))
      const worse = failed.length * 1000 + Math.max(0, p50Now - p50)
      const step = failed[0]?.failedAt === undefined ? '' : ` (first at the step "${failed[0].failedAt}")`
      const text =
        `journey ${journey}: ${percent(failed.length, now.length)} of ${now.length} walks fail${step}, before ` +
        `${percent(failures, before)}; median ${Math.round(p50Now)} ms, before ${Math.round(p50)} ms`
      return { text, worse, count: now.length }
    })
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.worse - one.worse)
    .slice(0, MOST_LINES)
    .map(({ text }) => text)

const describeEdges = (now: readonly EdgeStatistics[], before: readonly EdgeStatistics[]): string[] =>
  now
    .map((edge) => {
      const then = before.find(({ from, to }) => from === edge.from && to === edge.to)
      const slower = (edge.p95 ?? 0) - (then?.p95 ?? 0)
      const isSlower = slower > SLOWER_MS && (edge.p95 ?? 0) > SLOWER_TIMES * (then?.p95 ?? 0)
      const text =
        `${edge.from} to ${edge.to}: ${percent(edge.errors, edge.count)} of ${edge.count} calls fail; ` +
        `p95 ${Math.round(edge.p95 ?? 0)} ms, before ${then?.p95 === undefined ? 'unknown' : `${Math.round(then.p95)} ms`}`
      return { text, worse: edge.errors * 1000 + (isSlower ? slower : 0) }
    })
    .filter(({ worse }) => worse > 0)
    .sort((one, other) => other.worse - one.worse)
    .slice(0, MOST_LINES)
    .map(({ text }) => text)

interface PodStatus {
  readonly phase?: string
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  readonly containerStatuses?: readonly { readonly restartCount?: number; readonly state?: object }[]
}

const describePod = ({ metadata, status }: ApiObject): string | undefined => {
  const { phase, conditions = [], containerStatuses = [] } = (status ?? {}) as PodStatus
  const isReady = conditions.some((one) => one.type === 'Ready' && one.status === 'True')
  const restarts = containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0)
  if (isReady && restarts === 0) return undefined
  const waiting = containerStatuses
    .map(({ state }) => (state as { waiting?: { reason?: string } } | undefined)?.waiting?.reason)
    .find((reason) => reason !== undefined)
  return `pod ${metadata.name}: ${phase}, ${isReady ? 'ready' : 'not ready'}, ${restarts} restarts${waiting === undefined ? '' : `, ${waiting}`}`
}

/** Workloads that have fewer pods ready than they should. */
const describeWorkload = ({ kind, metadata, spec, status }: ApiObject): string | undefined => {
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return undefined
  const { replicas = 1 } = (spec ?? {}) as { replicas?: number }
  const { readyReplicas = 0 } = (status ?? {}) as { readyReplicas?: number }
  return readyReplicas >= Math.max(1, replicas)
    ? undefined
    : `${kind} ${metadata.name}: ${readyReplicas} of ${replicas} pods ready`
}

const describeObjects = async ({ cluster, objects, view }: LabCore): Promise<string[]> => {
  const pods = await cluster.api.list({ apiVersion: 'v1', plural: 'pods', namespace: view.namespace })
  return [...objects.list().map(describeWorkload), ...pods.items.map(describePod)]
    .filter((line) => line !== undefined)
    .slice(0, MOST_LINES)
}

const describeSymptoms = async (core: LabCore, since: number): Promise<string> => {
  const { cluster, time } = core
  const { query, flush } = cluster.telemetry!
  await flush()
  const range = { from: since, to: time.precise() }
  // Before the last reset there was the fault of another episode.
  const before = core.calm ?? { from: since - 60_000, to: since }
  const [alerts, errors, graph, graphBefore, events, states] = await Promise.all([
    query.alerts({ active: true }),
    query.errorSamples({ range, limit: MOST_LINES }),
    query.graph(range),
    query.graph(before),
    query.events({ range, type: 'Warning', limit: 50 }),
    describeObjects(core),
  ])
  const warnings = events
    .filter(({ object }) => !isOfLaboratory(object))
    .map(({ object, reason, message }) => shorten(`${object}: ${reason}: ${message}`))
  return [
    section(
      'Alerts that are raised',
      alerts.slice(0, MOST_LINES).map(({ name, summary }) => shorten(`${name}: ${summary}`)),
      'none',
    ),
    section('Users', describeUsers(core), 'nobody was there'),
    section(
      'Errors in traces, the most frequent first',
      errors.map(({ count, span }) =>
        shorten(`${count} times ${span.service} ${span.name}: ${span.message ?? 'failed'}`),
      ),
      'none',
    ),
    section('Calls that fail or are slower than before', describeEdges(graph, graphBefore), 'none'),
    section('Workloads and pods that are not as they should be', states, 'none'),
    section('Warnings of the cluster', [...new Set(warnings)].slice(0, MOST_LINES), 'none'),
  ].join('\n\n')
}

/** As MicroRemed gives it: the service that is the root cause, and the category of the failure. */
const describeLabel = ({ faults }: LabCore, problem: Problem): string => {
  if (problem.faults.length === 0) return 'No failure was diagnosed.'
  return problem.faults
    .map(
      ({ fault, target }) =>
        `root cause: ${target.service}\nfailure category: ${faults.get(fault)!.category}`,
    )
    .join('\n\n')
}

export const writeReport = async (core: LabCore, log: EventLog, problem: Problem): Promise<string> => {
  const where = `The microservice system ${core.view.name} runs on Kubernetes, in the namespace ${core.view.namespace}.`
  if (problem.report === 'label') return `${where}\n\n${describeLabel(core, problem)}\n`
  if (problem.report === 'none') return `${where}\n\nSomebody says that it may not work as it should.\n`
  const since = log.events.find(({ type }) => type === 'objects-listed')?.at ?? 0
  return `${where}\n\n${await describeSymptoms(core, core.time.precise() - log.at() + since)}\n`
}
