/** The reach of an action. Each `step-taken` event has it, so that oracles need no names of actions. */

/**
 * - `nothing`: it only reads.
 * - `answers`: it gives the solver's answers. It costs no step of the budget.
 * - `objects`: it may change objects of the API, and has done so when it returns.
 * - `pods`: it may also act on programs inside pods, which shows in objects only later.
 */
export const ACTION_REACHES = ['nothing', 'answers', 'objects', 'pods'] as const

export type ActionReach = (typeof ACTION_REACHES)[number]
