/** Sets the initial values of the slots of a scope. */
import { type Execute, MISSING } from './frame.ts'
import type { Scope } from './scope.ts'

export const enterScope = (scope: Scope): Execute => {
  const loads = [...scope.loads].filter(([, load]) => load.type !== 'parameter')
  return ({ slots, context }) => {
    for (const [slot, load] of loads) {
      if (load.type === 'variable') slots[slot] = context.resolve(load.name)
      else slots[slot] = load.type === 'outer' ? slots[load.slot] : MISSING
    }
  }
}
