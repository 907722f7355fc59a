/** Measures in which journeys the oracles detect user impact of a fault, by running episodes up to that stage. */
import { openLaboratory } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import type { EngineCluster, Fault, Impact, Problem, System } from '#spec'
import { createSystemView } from '#world/system-view'

/** Kinds of impact that are weaker than an unavailable or slow service, and the faults that cause them. */
const FAULTS = { starved: 'cpu-stress', lossy: 'network-loss' } as const
export type ImpactKind = keyof typeof FAULTS
export const IMPACT_KINDS = Object.keys(FAULTS) as readonly ImpactKind[]

/** The result is empty unless every attempt has impact; otherwise it lists the journeys that any attempt affected. */
const ATTEMPTS = 2

export interface ImpactSurvey {
  measure(service: string, kind: ImpactKind, report: (line: string) => void): Promise<string[]>
  close(): Promise<void>
}

const toProblem = (system: System, fault: Fault, service: string): Problem | undefined => {
  const target = fault.targets(createSystemView(system)).find((candidate) => candidate.service === service)
  if (target === undefined) return undefined
  const params = Object.fromEntries(
    Object.entries(fault.parameters).map(([name, declared]) => [name, declared.default]),
  )
  return {
    id: `survey.${fault.name}.${service}`,
    system: system.name,
    task: 'mitigation',
    report: 'none',
    budget: { steps: 1, seconds: 1 },
    seed: 'survey',
    faults: [{ fault: fault.name, target, params, shape: { kind: 'sudden' } }],
  }
}

interface ImpactSurveyOptions {
  readonly cluster: EngineCluster
  readonly system: System
  /** The name of the cluster's engine. */
  readonly engine: string
  /** The journeys that a slow service affects; the weaker kinds affect some of them. */
  readonly strongImpact: Readonly<Record<string, Omit<Impact, ImpactKind>>>
}

export const openImpactSurvey = async ({
  cluster,
  system: surveyed,
  engine,
  strongImpact,
}: ImpactSurveyOptions): Promise<ImpactSurvey> => {
  // Until the weaker kinds are measured, all journeys of a slow service count as affected: every service can be a target.
  const impact = Object.fromEntries(
    Object.entries(strongImpact).map(([service, strong]) => [
      service,
      { ...strong, starved: strong.slow, lossy: strong.slow },
    ]),
  )
  const system = { ...surveyed, impact }
  const faults = await loadFaults()
  const lab = await openLaboratory({ cluster, system, faults, seed: 'survey', engine })
  return {
    async measure(service, kind, report) {
      const problem = toProblem(system, faults.get(FAULTS[kind])!, service)
      const affected = new Set<string>()
      for (let attempt = 0; problem !== undefined && attempt < ATTEMPTS; attempt += 1) {
        const incident = await lab.prepare(problem)
        for (const event of incident.events) {
          if (event.type !== 'user-impact-observed') continue
          report(`  ${kind}: ${event.evidence}`)
          for (const journey of event.journeys) affected.add(journey)
        }
        await incident.restore()
        if (!incident.hasImpact) return []
      }
      return impact[service]?.slow.filter((journey) => affected.has(journey)) ?? []
    },
    close: () => lab.close(),
  }
}
