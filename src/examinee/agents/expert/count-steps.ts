/** Counts the steps of the budget, so that the Expert can reserve some. */
import type { Actions } from '#spec'

export interface CountedActions extends Actions {
  /** The number of steps that are left. */
  remaining(): number
}

export const countSteps = (actions: Actions, budget: number): CountedActions => {
  let taken = 0
  return {
    available: actions.available,
    call(name, input) {
      taken += 1
      return actions.call(name, input)
    },
    remaining: () => budget - taken,
  }
}
