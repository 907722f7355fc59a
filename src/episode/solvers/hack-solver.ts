/** Who tries a cheap wrong answer. */
import type { Hack, KubeApi, Solver } from '../../spec/index.ts'
import { LABORATORY } from '../laboratory.ts'
import { type KnownProblem, lastingOf, mendAll, truthOf } from './known-problem.ts'

/** What a hack may do to a cluster without changing it. */
const READING: readonly (keyof KubeApi)[] = ['get', 'list', 'watch', 'logs']

export interface HackSolver extends Solver {
  /** Whether it did anything but look: one that could do nothing here has left all as it was. */
  readonly hasActed: boolean
  /** Whether it has mended the other faults of the problem. */
  readonly hasMended: boolean
}

interface HackOptions {
  /** The fault that it is about, by its place in the problem; the first where absent. */
  readonly index?: number
  /** `hack NAME` where absent. */
  readonly name?: string
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

/**
 * All but one fault are mended as they should be, and where answers are asked for, too, they are right: so nothing but the hack can
 * be why it fails. Of a control it is about the first workload there is.
 */
export const hackSolver = (
  hack: Hack,
  known: KnownProblem,
  { index = 0, name = `hack ${hack.name}` }: HackOptions = {},
): HackSolver => {
  const { core, faults, problem } = known
  const own = faults.find((one) => one.index === index)
  const others = lastingOf(faults.filter((one) => one !== own))
  let hasActed = false
  return {
    name,
    isTrusted: true,
    hasMended: others.length > 0,
    get hasActed() {
      return hasActed
    },
    async solve(context) {
      const { api, signal, sleep } = context
      if (problem.task === 'end-to-end') context.answer(truthOf(known))
      await mendAll(context, known, others)
      await hack.act({
        system: core.view,
        signal,
        sleep,
        laboratory: LABORATORY,
        api: tellWrites(api, () => {
          hasActed = true
        }),
        target: own?.planned.target ?? { service: core.view.workloads[0]!.service },
        params: own?.planned.params ?? {},
        state: own?.state ?? {},
      })
    },
  }
}
