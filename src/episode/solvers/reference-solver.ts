/** Who knows what is wrong: gives the right answers and runs the reference fix of each fault. */
import type { Answers, Solver, Task } from '../../spec/index.ts'
import type { InjectedFault } from '../inject.ts'
import type { LabCore } from '../lab-core.ts'

const ACTING: readonly Task[] = ['mitigation', 'remediation', 'end-to-end']

export interface KnownProblem {
  readonly problem: { readonly task: Task }
  readonly core: Pick<LabCore, 'view'>
  readonly faults: readonly InjectedFault[]
}

const truthOf = ({ core, faults }: KnownProblem): Answers => {
  const [first] = faults
  if (first === undefined) return { detected: false, services: [] }
  const { view: system } = core
  const culprits = faults.map(
    ({ fault, state, planned: { target, params } }) =>
      fault.culprits?.({ system, target, params, state }) ?? [target.service],
  )
  // One of each fault comes first: as many names as there are faults have to hit all of them.
  const services = [...culprits.map(([likeliest]) => likeliest!), ...culprits.flat()]
  const { layer, type } = first.fault
  return { detected: true, services: [...new Set(services)], layer, type }
}

export const referenceSolver = (known: KnownProblem): Solver => ({
  name: 'reference',
  isTrusted: true,
  async solve(context) {
    context.answer(truthOf(known))
    if (!ACTING.includes(known.problem.task)) return
    for (const { fault, planned, state } of known.faults) {
      // Those that heal by themselves are to be left alone.
      if (planned.shape.kind === 'transient') continue
      const { target, params } = planned
      const text = fault.fix({ system: known.core.view, target, params, state })
      const { ok, output } = await context.runPlaybook(text)
      if (!ok) throw new Error(`the reference fix of ${fault.name} failed: ${output.slice(-2000)}`)
    }
  },
})
