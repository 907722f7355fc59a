/** Provides a live system on which a test injects faults and runs its own solvers, one episode after the other. */
import { afterAll, beforeAll } from 'vitest'
import { type AttemptOutcome, type Incident, type Laboratory, openLaboratory } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { createLocalEngine } from '#platform/engines/local'
import type { EngineCluster, PlannedFault, Problem, Solver } from '#spec'
import { loadSystem } from '#world/systems'

export interface LiveSystem {
  readonly cluster: EngineCluster
  play(fault: PlannedFault, toSolver: (incident: Incident) => Solver): Promise<AttemptOutcome>
}

const toProblem = (system: string, fault: PlannedFault): Problem => ({
  id: fault.fault,
  system,
  task: 'mitigation',
  report: 'symptoms',
  seed: 's',
  faults: [fault],
  budget: { steps: 10, seconds: 60 },
})

export const useLiveSystem = (name: string): LiveSystem => {
  let cluster: EngineCluster | undefined
  let lab: Laboratory | undefined
  beforeAll(async () => {
    const system = await loadSystem(name)
    cluster = await createLocalEngine().provision(system)
    lab = await openLaboratory({ cluster, system, faults: await loadFaults(), seed: 'stage' })
  })
  afterAll(async () => {
    await lab?.close()
    await cluster?.close()
  })
  return {
    get cluster() {
      return cluster!
    },
    async play(fault, toSolver) {
      const incident = await lab!.prepare(toProblem(name, fault))
      try {
        return await incident.attempt(toSolver(incident))
      } finally {
        await incident.restore()
      }
    },
  }
}
