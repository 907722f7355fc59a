/** Whoever is to play an episode: one of the laboratory's own, or an agent behind the agent-cloud interface. */
import { doNothing, type Prepared, referenceSolver } from '../../episode/index.ts'
import { type EngineCluster, RemediumError, type Solver } from '../../spec/index.ts'
import type { AgentJob } from '../play/agent-job.ts'

export interface SolverTools {
  readonly prepared: Prepared
  readonly cluster: EngineCluster
  stage(text: string): void
  ask(text: string): Promise<boolean>
}

export const solverOf = async ({ planned }: AgentJob, { prepared }: SolverTools): Promise<Solver> => {
  const { agent, name } = planned.contender
  if (agent === 'reference') return referenceSolver(prepared)
  if (agent === 'null') return { ...doNothing, name: 'null' }
  throw new RemediumError('bad-argument', `There is no agent "${name}".`)
}
