/** `remedium agents`: lists the agents. */

import { toTable } from '#lab/text'
import { defineCommand } from '../define-command.ts'

export const agents = defineCommand({
  summary: 'List the agents',
  examples: ['remedium agents --json     with the roles that use a language model'],
  async run({ answer }) {
    const { knownAgents } = await import('#lab/launch')
    const known = await knownAgents()
    answer(
      { agents: known.map(({ name, about, roles }) => ({ name, about, roles })) },
      toTable(
        ['AGENT', 'MODEL ROLES', 'DESCRIPTION'],
        known.map(({ name, about, roles }) => [name, roles.length === 0 ? '-' : roles.join(', '), about]),
      ),
    )
    return 0
  },
})
