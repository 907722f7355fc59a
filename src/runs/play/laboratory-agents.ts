/** Those of the laboratory that can be named as agents: between them lies what an agent can be worth. */
import type { Agent } from '../../spec/index.ts'

/** They are no agents: they see the laboratory itself, or nothing. */
export const LABORATORY_AGENTS: readonly Pick<Agent, 'name' | 'about' | 'roles'>[] = [
  { name: 'null', about: 'does nothing and says nothing: what a problem is worth by itself', roles: [] },
  {
    name: 'reference',
    about: 'knows what is wrong and runs the reference fix: what can be had at most',
    roles: [],
  },
]
