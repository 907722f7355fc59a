/** Wires a validation together: faults, systems, hacks, workers and the ledger. */
import {
  clearAway,
  type PlanOptions,
  type ValidationOptions,
  type Validity,
  validateSuite,
} from '../../runs/index.ts'
import type { Problem, SystemView } from '../../spec/index.ts'

export type PlanTools = Pick<PlanOptions, 'faults' | 'commonHacks' | 'systemOf'>

/** What one must know to say what is tried with these problems. */
export const loadPlanTools = async (problems: readonly Problem[]): Promise<PlanTools> => {
  const { loadFaults } = await import('../../faults/index.ts')
  const { COMMON_HACKS } = await import('../../hacks/index.ts')
  const { loadSystem } = await import('../../systems/index.ts')
  const { createSystemView } = await import('../../system-view/index.ts')
  const names = [...new Set(problems.map(({ system }) => system))]
  const views = new Map<string, SystemView>(
    await Promise.all(names.map(async (name) => [name, createSystemView(await loadSystem(name))] as const)),
  )
  return { faults: await loadFaults(), commonHacks: COMMON_HACKS, systemOf: (name) => views.get(name)! }
}

export const validateProblems = async (
  problems: readonly Problem[],
  options: ValidationOptions,
): Promise<Validity> => {
  try {
    return await validateSuite(problems, options)
  } finally {
    // A worker that was killed, or could not end its cluster, has left it and its folders to others.
    // The next command clears away, too; what could not be removed takes nobody's result.
    await clearAway().catch(() => {})
  }
}
