/** The reach of an action. Each `step-taken` event has it, so that oracles need not know the names of actions. */

/**
 * - `nothing`: it only reads.
 * - `answers`: it gives the solver's answers. It costs no step of the budget.
 * - `objects`: it can change objects of the API; all changes are complete when it returns.
 * - `pods`: it can also act on programs inside pods; the effects become visible in objects only later.
 */
export const ACTION_REACHES = ['nothing', 'answers', 'objects', 'pods'] as const

export type ActionReach = (typeof ACTION_REACHES)[number]
