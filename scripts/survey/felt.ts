/** In which journeys judges see users suffer from the fault of a service: episodes are played as far as that. */
import { openLab } from '../../src/episode/index.ts'
import { loadFaults } from '../../src/faults/index.ts'
import type { EngineCluster, Fault, Impact, Problem, System } from '../../src/spec/index.ts'
import { createSystemView } from '../../src/system-view/index.ts'

/** What users feel less than a service that is gone or slow, by the fault that does it. */
const FAULTS = { starved: 'cpu-stress', lossy: 'network-loss' } as const
export type FeltWay = keyof typeof FAULTS
export const FELT_WAYS = Object.keys(FAULTS) as readonly FeltWay[]

/** What is listed must be sure to be felt: something was, each time. */
const TRIES = 2

export interface FeltSurvey {
  measure(service: string, way: FeltWay): Promise<string[]>
  close(): Promise<void>
}

const toProblem = (system: System, fault: Fault, service: string): Problem | undefined => {
  const target = fault.targets(createSystemView(system)).find((one) => one.service === service)
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

/** Who suffers when a service is slow is known: of these some feel less than that. */
export const openFeltSurvey = async (
  cluster: EngineCluster,
  known: System,
  broken: Readonly<Record<string, Omit<Impact, FeltWay>>>,
): Promise<FeltSurvey> => {
  // Whatever can be felt may be a target, until it has been measured.
  const impact = Object.fromEntries(
    Object.entries(broken).map(([service, one]) => [service, { ...one, starved: one.slow, lossy: one.slow }]),
  )
  const system = { ...known, impact }
  const faults = await loadFaults()
  const lab = await openLab({ cluster, system, faults, seed: 'survey' })
  return {
    async measure(service, way) {
      const problem = toProblem(system, faults.get(FAULTS[way])!, service)
      const felt = new Set<string>()
      for (let tries = 0; problem !== undefined && tries < TRIES; tries += 1) {
        const prepared = await lab.prepare(problem)
        for (const event of prepared.events) {
          if (event.type !== 'fault-shown') continue
          console.log(`  ${way}: ${event.evidence}`)
          for (const journey of event.journeys) felt.add(journey)
        }
        await prepared.restore()
        if (!prepared.shown) return []
      }
      return impact[service]?.slow.filter((journey) => felt.has(journey)) ?? []
    },
    close: () => lab.close(),
  }
}
