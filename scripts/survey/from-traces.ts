/** Tells from the traces of healthy walks, and from what the topology calls critical, who would suffer with whom. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineCluster, Impact, Span, System } from '../../src/spec/index.ts'
import { callSites } from '../../src/topology/index.ts'
import { createWalker } from '../../src/workload/index.ts'

/** What is called in every one of so many walks is sure to be called. */
const WALKS = 3
const ATTEMPTS = 10
/** Longer than a twin keeps its spans back. */
const SPANS_MS = 1500

/** The services that one walk waits for, and those without which it fails. */
interface Needs {
  readonly called: ReadonlySet<string>
  readonly critical: ReadonlySet<string>
}

/** `from to endpoint` of calls whose failure the endpoint may survive. */
const forgivenCalls = ({ topology }: System): ReadonlySet<string> =>
  new Set(
    callSites(topology!)
      .filter(({ critical }) => !critical)
      .map(({ from, to, endpoint }) => `${from} ${to} ${endpoint}`),
  )

const needsOf = (spans: readonly Span[], forgiven: ReadonlySet<string>): Needs => {
  const children = Map.groupBy(spans, ({ parentId }) => parentId ?? '')
  const known = new Set(spans.map(({ spanId }) => spanId))
  const called = new Set<string>()
  const critical = new Set<string>()
  /** `endpoint` is that of the service whose span it is, `matters` whether the user fails where this fails. */
  const follow = (span: Span, endpoint: string, matters: boolean): void => {
    // Nobody waits for what goes through a queue.
    if (span.kind === 'consumer' || span.kind === 'producer') return
    const inside = span.kind === 'server' ? span.name : endpoint
    const peer = span.kind === 'server' ? span.service : span.peer
    const stillMatters =
      matters && (span.kind === 'server' || !forgiven.has(`${span.service} ${peer} ${endpoint}`))
    if (peer !== undefined) called.add(peer)
    if (peer !== undefined && stillMatters) critical.add(peer)
    for (const child of children.get(span.spanId) ?? []) follow(child, inside, stillMatters)
  }
  for (const span of spans)
    if (span.parentId === undefined || !known.has(span.parentId)) follow(span, '', true)
  return { called, critical }
}

const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(sets.flatMap((one) => [...one]))

const walkOnce = async (
  system: System,
  cluster: EngineCluster,
  journey: string,
  user: number,
): Promise<Needs | undefined> => {
  const walker = createWalker({
    workload: system.workload!,
    entryPoints: cluster.entryPoints,
    seed: `survey ${user}`,
    user,
  })
  try {
    const { ok, walk } = await walker.walk(journey)
    if (!ok) return undefined
    const requests = walker.records.requests.filter((one) => one.journey === journey && one.walk === walk)
    await sleep(SPANS_MS)
    await cluster.telemetry!.flush()
    const traces = await Promise.all(requests.map(({ traceId }) => cluster.telemetry!.query.trace(traceId)))
    const forgiven = forgivenCalls(system)
    const needs = traces.map((spans) => needsOf(spans, forgiven))
    return {
      called: union(needs.map(({ called }) => called)),
      critical: union(needs.map(({ critical }) => critical)),
    }
  } finally {
    walker.close()
  }
}

/** By service. For systems that are too big to be broken service by service. */
export const surveyTraces = async (
  system: System,
  cluster: EngineCluster,
  services: readonly string[],
): Promise<Record<string, Omit<Impact, 'starved' | 'lossy'>>> => {
  const measured = Object.fromEntries(
    services.map((service) => [service, { down: [] as string[], slow: [] as string[] }]),
  )
  let user = 0
  for (const { name, weight } of system.workload!.journeys) {
    if (weight <= 0) continue
    const walks: Needs[] = []
    for (let attempt = 0; walks.length < WALKS; attempt += 1) {
      if (attempt === ATTEMPTS) throw new Error(`${name} fails while nothing is wrong`)
      user += 1
      const needs = await walkOnce(system, cluster, name, user)
      if (needs !== undefined) walks.push(needs)
    }
    for (const service of services) {
      if (walks.every(({ called }) => called.has(service))) measured[service]!.slow.push(name)
      if (walks.every(({ critical }) => critical.has(service))) measured[service]!.down.push(name)
    }
    console.log(`${name}: ${[...walks[0]!.called].sort().join(' ')}`)
  }
  return measured
}
