/** Who tries a cheap wrong answer. */
import type { Hack, KubeApi, Solver } from '../../spec/index.ts'
import { LABORATORY } from '../laboratory.ts'
import type { KnownProblem } from './reference-solver.ts'

/** What a hack may do to a cluster without changing it. */
const READING: readonly (keyof KubeApi)[] = ['get', 'list', 'watch', 'logs']

export interface HackSolver extends Solver {
  /** Whether it did anything but look: one that could do nothing here has left all as it was. */
  readonly hasActed: boolean
}

const tellWrites = (api: KubeApi, onWrite: () => void): KubeApi =>
  new Proxy(api, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (!READING.includes(name as keyof KubeApi)) onWrite()
        return Reflect.apply(value, target, args)
      }
    },
  })

/** On the first fault; of a control on the first workload there is. */
export const hackSolver = (hack: Hack, { core, faults }: KnownProblem): HackSolver => {
  let hasActed = false
  return {
    name: `hack ${hack.name}`,
    isTrusted: true,
    get hasActed() {
      return hasActed
    },
    async solve({ api, signal, sleep }) {
      const [first] = faults
      await hack.act({
        ...{ system: core.view, signal, sleep, laboratory: LABORATORY },
        api: tellWrites(api, () => {
          hasActed = true
        }),
        target: first?.planned.target ?? { service: core.view.workloads[0]!.service },
        params: first?.planned.params ?? {},
        state: first?.state ?? {},
      })
    },
  }
}
