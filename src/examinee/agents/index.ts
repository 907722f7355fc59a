/** Lists and loads the agents: every subfolder is one. */
import { readdirSync } from 'node:fs'
import { findNearestName } from '#kit'
import { type Agent, RemediumError } from '#spec'

export const listAgents = (): string[] =>
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

/** Loads an agent and applies the options, which docs/agents.md describes. Throws if an option is invalid. */
export const loadAgent = async (
  name: string,
  options?: Readonly<Record<string, unknown>>,
): Promise<Agent> => {
  const names = listAgents()
  if (!names.includes(name)) {
    const nearest = findNearestName(name, names)
    throw new RemediumError('bad-argument', `The agent "${name}" does not exist.`, {
      hint: `${nearest === undefined ? '' : `Did you mean ${nearest}? `}Existing agents: ${names.join(', ')}.`,
    })
  }
  const { agent, createAgent } = await import(new URL(`./${name}/agent.ts`, import.meta.url).href)
  if (agent?.name !== name)
    throw new Error(`src/examinee/agents/${name}/agent.ts must export the agent "${name}"`)
  if (options === undefined) return agent
  if (createAgent !== undefined) return createAgent(options)
  if (Object.keys(options).length === 0) return agent
  throw new RemediumError('bad-argument', `The agent ${name} has no options.`)
}
