/** The agents there are: every folder here is one. */
import { readdirSync } from 'node:fs'
import { nearestName } from '../kit/index.ts'
import { type Agent, RemediumError } from '../spec/index.ts'

/** Their names. */
export const listAgents = (): string[] =>
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

/**
 * With options, the agent is made by them, and what is wrong with them is told at once; without, it is for looking at, or
 * has what is usual. Which options there are, docs/agents.md tells.
 */
export const loadAgent = async (
  name: string,
  options?: Readonly<Record<string, unknown>>,
): Promise<Agent> => {
  const names = listAgents()
  if (!names.includes(name)) {
    const meant = nearestName(name, names)
    throw new RemediumError('bad-argument', `There is no agent named "${name}".`, {
      hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}There are ${names.join(', ')}.`,
    })
  }
  const { agent, createAgent } = await import(new URL(`./${name}/agent.ts`, import.meta.url).href)
  if (agent?.name !== name) throw new Error(`src/agents/${name}/agent.ts must export the agent "${name}"`)
  if (options === undefined) return agent
  if (createAgent !== undefined) return createAgent(options)
  if (Object.keys(options).length === 0) return agent
  throw new RemediumError('bad-argument', `The agent ${name} has no options.`)
}
