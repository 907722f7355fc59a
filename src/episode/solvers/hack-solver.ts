/** Who tries a cheap wrong answer. */
import type { Hack, Solver } from '../../spec/index.ts'
import { LABORATORY } from '../laboratory.ts'
import type { KnownProblem } from './reference-solver.ts'

/** On the first fault; of a control on the first workload there is. */
export const hackSolver = (hack: Hack, { core, faults }: KnownProblem): Solver => ({
  name: `hack ${hack.name}`,
  async solve({ api, signal, sleep }) {
    const [first] = faults
    await hack.act({
      ...{ system: core.view, api, signal, sleep, laboratory: LABORATORY },
      target: first?.planned.target ?? { service: core.view.workloads[0]!.service },
      params: first?.planned.params ?? {},
      state: first?.state ?? {},
    })
  },
})
