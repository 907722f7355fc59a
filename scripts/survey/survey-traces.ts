/** Derives the journeys that a service affects from traces of healthy journey runs and the critical calls of the topology. */
import { type Clock, sleep } from '#kit'
import type { EngineCluster, Impact, Span, System } from '#spec'
import { callEdges } from '#world/topology'
import { createJourneyRunner } from '#world/workload'

/** A journey depends on a service if every one of these runs calls it. */
const RUNS = 3
const ATTEMPTS = 10
/** Longer than a twin buffers its spans. */
const SPAN_DELAY_MS = 1500

/** The services that a journey run waits for, and those without which it fails. */
interface Needs {
  readonly called: ReadonlySet<string>
  readonly critical: ReadonlySet<string>
}

/** Keys `from to endpoint` of calls whose failure does not make the endpoint fail. */
const optionalCallsOf = ({ topology }: System): ReadonlySet<string> =>
  new Set(
    callEdges(topology!)
      .filter(({ critical }) => !critical)
      .map(({ from, to, endpoint }) => `${from} ${to} ${endpoint}`),
  )

const needsOf = (spans: readonly Span[], optionalCalls: ReadonlySet<string>): Needs => {
  const children = Map.groupBy(spans, ({ parentId }) => parentId ?? '')
  const known = new Set(spans.map(({ spanId }) => spanId))
  const called = new Set<string>()
  const critical = new Set<string>()
  /** `endpoint` is the endpoint of the caller; `isCritical` is whether the journey fails if the caller fails. */
  const visit = (span: Span, endpoint: string, isCritical: boolean): void => {
    // The user does not wait for messages in a queue.
    if (span.kind === 'consumer' || span.kind === 'producer') return
    const childEndpoint = span.kind === 'server' ? span.name : endpoint
    const peer = span.kind === 'server' ? span.service : span.peer
    const isChildCritical =
      isCritical && (span.kind === 'server' || !optionalCalls.has(`${span.service} ${peer} ${endpoint}`))
    if (peer !== undefined) called.add(peer)
    if (peer !== undefined && isChildCritical) critical.add(peer)
    for (const child of children.get(span.spanId) ?? []) visit(child, childEndpoint, isChildCritical)
  }
  for (const span of spans)
    if (span.parentId === undefined || !known.has(span.parentId)) visit(span, '', true)
  return { called, critical }
}

const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(sets.flatMap((set) => [...set]))

interface TraceSource {
  readonly system: System
  readonly cluster: EngineCluster
  readonly clock: Clock
  /** Receives descriptions of progress. */
  report(line: string): void
}

const findNeeds = async (
  { system, cluster, clock }: TraceSource,
  journey: string,
  user: number,
): Promise<Needs | undefined> => {
  const runner = createJourneyRunner({
    workload: system.workload!,
    entryPoints: cluster.entryPoints,
    connectUser: cluster.connectUser,
    clock: cluster.clock,
    seed: `survey ${user}`,
    user,
  })
  try {
    const { ok, run } = await runner.run(journey)
    if (!ok) return undefined
    const requests = runner.records.requests.filter(
      (request) => request.journey === journey && request.run === run,
    )
    await sleep(clock, SPAN_DELAY_MS)
    await cluster.telemetry!.flush()
    const traces = await Promise.all(requests.map(({ traceId }) => cluster.telemetry!.query.trace(traceId)))
    const optionalCalls = optionalCallsOf(system)
    const needs = traces.map((spans) => needsOf(spans, optionalCalls))
    return {
      called: union(needs.map(({ called }) => called)),
      critical: union(needs.map(({ critical }) => critical)),
    }
  } finally {
    runner.close()
  }
}

/** Resolves to the impact of each service, for systems in which breaking one service after the other takes too long. */
export const surveyTraces = async (
  source: TraceSource,
  services: readonly string[],
): Promise<Record<string, Omit<Impact, 'starved' | 'lossy'>>> => {
  const measured = Object.fromEntries(
    services.map((service) => [service, { down: [] as string[], slow: [] as string[] }]),
  )
  let user = 0
  for (const { name, weight } of source.system.workload!.journeys) {
    if (weight <= 0) continue
    const needsByRun: Needs[] = []
    for (let attempt = 0; needsByRun.length < RUNS; attempt += 1) {
      if (attempt === ATTEMPTS) throw new Error(`${name} fails without a fault`)
      user += 1
      const needs = await findNeeds(source, name, user)
      if (needs !== undefined) needsByRun.push(needs)
    }
    for (const service of services) {
      if (needsByRun.every(({ called }) => called.has(service))) measured[service]!.slow.push(name)
      if (needsByRun.every(({ critical }) => critical.has(service))) measured[service]!.down.push(name)
    }
    source.report(`${name}: ${[...needsByRun[0]!.called].sort().join(' ')}`)
  }
  return measured
}
