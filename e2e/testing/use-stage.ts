/** A live system on which a test brings faults about and lets its own solvers try, one after another. */
import { afterAll, beforeAll } from 'vitest'
import { createLocalEngine } from '../../src/engines/local/index.ts'
import { type AttemptOutcome, type Lab, openLab, type Prepared } from '../../src/episode/index.ts'
import { loadFaults } from '../../src/faults/index.ts'
import type { EngineCluster, PlannedFault, Problem, Solver } from '../../src/spec/index.ts'
import { loadSystem } from '../../src/systems/index.ts'

export interface Stage {
  readonly cluster: EngineCluster
  play(fault: PlannedFault, toSolver: (prepared: Prepared) => Solver): Promise<AttemptOutcome>
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

export const useStage = (name: string): Stage => {
  let cluster: EngineCluster | undefined
  let lab: Lab | undefined
  beforeAll(async () => {
    const system = await loadSystem(name)
    cluster = await createLocalEngine().provision(system)
    lab = await openLab({ cluster, system, faults: await loadFaults(), seed: 'stage' })
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
      const prepared = await lab!.prepare(toProblem(name, fault))
      try {
        return await prepared.attempt(toSolver(prepared))
      } finally {
        await prepared.restore()
      }
    },
  }
}
