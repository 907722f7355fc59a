/** Counts the actions taken, so that the last one is always left for the answer. */
import type { Actions } from '../../spec/index.ts'

export interface CountedActions extends Actions {
  /** How many may still be taken. */
  left(): number
}

export const countSteps = (actions: Actions, budget: number): CountedActions => {
  let taken = 0
  return {
    available: actions.available,
    call(name, input) {
      taken += 1
      return actions.call(name, input)
    },
    left: () => budget - taken,
  }
}
