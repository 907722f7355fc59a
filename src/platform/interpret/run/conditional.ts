/** Conditions: `when`, `until`, `failed_when`, `changed_when` and those of `assert`. */
import { AnsibleError } from '../load/ansible-error.ts'
import type { YamlPosition } from '../yaml/read-ansible-yaml.ts'
import type { Templar } from './templar.ts'

/**
 * Returns the value of the first condition that does not hold, or of the last one. Throws an AnsibleError with the position if a
 * condition is wrong.
 */
export const evaluateConditions = (
  conditions: readonly unknown[],
  templar: Templar,
  position?: YamlPosition,
): unknown => {
  if (conditions.length === 0) return true
  try {
    return templar.evaluate(conditions)
  } catch (error) {
    throw error instanceof AnsibleError ? new AnsibleError(error.message, position) : error
  }
}
