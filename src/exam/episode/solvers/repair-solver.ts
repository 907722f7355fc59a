/** A solver that tries a repair: a hack, or a right repair other than the reference. */
import type { Hack, KubeApi, Repair, Solver } from '#spec'
import { LABORATORY } from '../laboratory/laboratory-namespace.ts'
import {
  type KnownProblem,
  listLastingFaults,
  repairAll,
  requiresAnswersAndRepair,
  rightAnswersTo,
} from './known-problem.ts'

/** The calls that change nothing. */
const READ_CALLS: readonly (keyof KubeApi)[] = ['get', 'list', 'watch', 'logs']

export interface RepairSolver extends Solver {
  /** Whether it has sent a write request. A repair that finds nothing to do leaves the system unchanged. */
  readonly hasActed: boolean
  /** Whether it repairs other faults of the problem before it tries the repair. */
  readonly repairsFaults: boolean
  /** Whether it acts after all faults are repaired, so that the problem is solved if it finds nothing to do. */
  readonly actsAfterRepair: boolean
}

interface RepairOptions {
  /** The index of the fault that the repair targets; the first one by default. */
  readonly index?: number
  /** `hack NAME` by default. */
  readonly name?: string
}

const reportWrites = (api: KubeApi, onWrite: () => void): KubeApi =>
  new Proxy(api, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (!READ_CALLS.includes(name as keyof KubeApi)) onWrite()
        return Reflect.apply(value, target, args)
      }
    },
  })

/**
 * Repairs all other faults as the reference does, or all faults if a hack acts after the repair. Gives the right answers if the
 * task asks for them, so that only the tried repair can cause a failure. On a control, acts on the first workload.
 */
export const repairSolver = (
  repair: Repair | Hack,
  known: KnownProblem,
  { index = 0, name = `hack ${repair.name}` }: RepairOptions = {},
): RepairSolver => {
  const { system, faults } = known
  const actsAfterRepair = 'afterRepair' in repair && repair.afterRepair === true
  const targetFault = faults.find((injected) => injected.index === index)
  const repaired = listLastingFaults(faults.filter((injected) => actsAfterRepair || injected !== targetFault))
  let hasActed = false
  return {
    name,
    isTrusted: true,
    repairsFaults: repaired.length > 0,
    actsAfterRepair,
    get hasActed() {
      return hasActed
    },
    async solve(context) {
      const { api, signal, now, sleep } = context
      if (requiresAnswersAndRepair(known)) context.answer(rightAnswersTo(known))
      await repairAll(context, system, repaired)
      await repair.act({
        system,
        signal,
        now,
        sleep,
        laboratory: LABORATORY,
        api: reportWrites(api, () => {
          hasActed = true
        }),
        target: targetFault?.planned.target ?? { service: system.workloads[0]!.service },
        targets: faults.map(({ planned }) => planned.target.service),
        params: targetFault?.planned.params ?? {},
        state: targetFault?.state ?? {},
      })
    },
  }
}
