/** Solvers of the laboratory that can be named as agents. */
import type { Agent } from '#spec'

/** These solvers are not agents in the strict sense, because they know the problem. */
export const LABORATORY_AGENTS: readonly Pick<Agent, 'name' | 'about' | 'roles'>[] = [
  {
    name: 'reference',
    about: 'knows the problem and runs its reference playbook: the upper bound',
    roles: [],
  },
]
