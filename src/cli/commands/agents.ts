/** `remedium agents`: who can be let at a problem. */
import { defineCommand } from '../define-command.ts'
import { toTable } from '../table.ts'

export const agents = defineCommand({
  summary: 'List the agents',
  examples: ['remedium agents --json     with the parts of each that ask a language model'],
  async run({ answer }) {
    const { knownAgents } = await import('../runs/known-agents.ts')
    const known = await knownAgents()
    answer(
      { agents: known.map(({ name, about, roles }) => ({ name, about, roles })) },
      toTable(
        ['AGENT', 'MODELS FOR', 'ABOUT'],
        known.map(({ name, about, roles }) => [name, roles.length === 0 ? '-' : roles.join(', '), about]),
      ),
    )
    return 0
  },
})
