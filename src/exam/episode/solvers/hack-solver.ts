/** A solver that tries a hack: a cheap wrong repair. */
import type { Hack, KubeApi, Solver } from '#spec'
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

export interface HackSolver extends Solver {
  /** Whether it has sent a write request. A hack that finds nothing to do leaves the system unchanged. */
  readonly hasActed: boolean
  /** Whether it repairs faults of the problem before it tries the hack. */
  readonly repairsFaults: boolean
  /** Whether it acts after all faults are repaired, so that the problem is solved if it finds nothing to do. */
  readonly actsAfterRepair: boolean
}

interface HackOptions {
  /** The index of the fault that the hack targets; the first one by default. */
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
 * Repairs all faults but the hacked one, or all of them if the hack acts after the repair.
 * Gives the right answers if the task asks for them, so that only the hack can cause a
 * failure. On a control it acts on the first workload.
 */
export const hackSolver = (
  hack: Hack,
  known: KnownProblem,
  { index = 0, name = `hack ${hack.name}` }: HackOptions = {},
): HackSolver => {
  const { system, faults } = known
  const hackedFault = faults.find((injected) => injected.index === index)
  const repaired = listLastingFaults(
    faults.filter((injected) => hack.afterRepair === true || injected !== hackedFault),
  )
  let hasActed = false
  return {
    name,
    isTrusted: true,
    repairsFaults: repaired.length > 0,
    actsAfterRepair: hack.afterRepair === true,
    get hasActed() {
      return hasActed
    },
    async solve(context) {
      const { api, signal, now, sleep } = context
      if (requiresAnswersAndRepair(known)) context.answer(rightAnswersTo(known))
      await repairAll(context, system, repaired)
      await hack.act({
        system,
        signal,
        now,
        sleep,
        laboratory: LABORATORY,
        api: reportWrites(api, () => {
          hasActed = true
        }),
        target: hackedFault?.planned.target ?? { service: system.workloads[0]!.service },
        targets: faults.map(({ planned }) => planned.target.service),
        params: hackedFault?.planned.params ?? {},
        state: hackedFault?.state ?? {},
      })
    },
  }
}
