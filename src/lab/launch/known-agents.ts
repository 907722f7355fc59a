/** Lists the agents that a user can name. */
import type { KnownAgent } from './choose-contenders.ts'

export const knownAgents = async (): Promise<KnownAgent[]> => {
  const { LABORATORY_AGENTS } = await import('#lab/runs')
  const { listAgents, loadAgent } = await import('#examinee/agents')
  const agents = await Promise.all(listAgents().map((name) => loadAgent(name)))
  return [...agents, ...LABORATORY_AGENTS].sort((a, b) => (a.name < b.name ? -1 : 1))
}
