/** The agents that can be named. */
import type { KnownAgent } from './choose-contenders.ts'

export const knownAgents = async (): Promise<KnownAgent[]> => {
  const { LABORATORY_AGENTS } = await import('../../runs/index.ts')
  const { listAgents, loadAgent } = await import('../../agents/index.ts')
  const agents = await Promise.all(listAgents().map((name) => loadAgent(name)))
  return [...agents, ...LABORATORY_AGENTS].sort((one, other) => (one.name < other.name ? -1 : 1))
}
