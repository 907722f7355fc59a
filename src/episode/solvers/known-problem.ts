/** What whoever knows a problem can say of it and do about it. */
import type { Answers, SolverContext, Task } from '../../spec/index.ts'
import type { InjectedFault } from '../inject.ts'
import type { LabCore } from '../lab-core.ts'

export interface KnownProblem {
  readonly problem: { readonly task: Task }
  readonly core: Pick<LabCore, 'view'>
  readonly faults: readonly InjectedFault[]
}

/** The right answer to every question. */
export const truthOf = ({ core, faults }: Pick<KnownProblem, 'core' | 'faults'>): Answers => {
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

/** Those that do not heal by themselves, and so are not to be left alone. */
export const lastingOf = (faults: readonly InjectedFault[]): readonly InjectedFault[] =>
  faults.filter(({ planned }) => planned.shape.kind !== 'transient')

/** Runs the reference fix of each, and throws where one fails. */
export const mendAll = async (
  { runPlaybook }: Pick<SolverContext, 'runPlaybook'>,
  { core }: Pick<KnownProblem, 'core'>,
  faults: readonly InjectedFault[],
): Promise<void> => {
  for (const { fault, planned, state } of faults) {
    const { target, params } = planned
    const { ok, output } = await runPlaybook(fault.fix({ system: core.view, target, params, state }))
    if (!ok) throw new Error(`the reference fix of ${fault.name} failed: ${output.slice(-2000)}`)
  }
}
