/** Those of the laboratory that can be named as agents. */
import type { Agent } from '../../spec/index.ts'

/** It is no agent: it sees the laboratory itself. */
export const LABORATORY_AGENTS: readonly Pick<Agent, 'name' | 'about' | 'roles'>[] = [
  {
    name: 'reference',
    about: 'knows what is wrong and runs the reference fix: what can be had at most',
    roles: [],
  },
]
