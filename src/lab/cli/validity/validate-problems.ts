/** Validates problems, and removes the leftovers of killed workers afterwards. */

import { type PlanOptions, type ValidationOptions, type Validity, validateSuite } from '#lab/validation'
import { cleanUp } from '#lab/workers'
import type { Problem, SystemView } from '#spec'

export type PlanInputs = Pick<PlanOptions, 'faults' | 'commonHacks' | 'rightRepairs' | 'systemOf'>

/** Loads the faults, hacks, repairs and systems from which attempts are planned. */
export const loadPlanInputs = async (problems: readonly Problem[]): Promise<PlanInputs> => {
  const { loadFaults } = await import('#exam/faults')
  const { COMMON_HACKS } = await import('#exam/hacks')
  const { RIGHT_REPAIRS } = await import('#exam/right-repairs')
  const { loadSystem } = await import('#world/systems')
  const { createSystemView } = await import('#world/system-view')
  const names = [...new Set(problems.map(({ system }) => system))]
  const views = new Map<string, SystemView>(
    await Promise.all(names.map(async (name) => [name, createSystemView(await loadSystem(name))] as const)),
  )
  return {
    faults: await loadFaults(),
    commonHacks: COMMON_HACKS,
    rightRepairs: RIGHT_REPAIRS,
    systemOf: (name) => views.get(name)!,
  }
}

export const validateProblems = async (
  problems: readonly Problem[],
  options: ValidationOptions,
): Promise<Validity> => {
  try {
    return await validateSuite(problems, options)
  } finally {
    // Removes the leftovers of killed workers. A failure is ignored: the next command cleans up again.
    await cleanUp(options.engine).catch(() => {})
  }
}
