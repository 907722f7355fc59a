/** Opens the solver of an episode: the reference, or an agent behind the agent-cloud interface. */
import { type Incident, referenceSolver } from '#exam/episode'
import { agentSolver, type Policy } from '#examinee/aci'
import { loadAgent } from '#examinee/agents'
import type { ModelCache } from '#examinee/models'
import { defined } from '#kit'
import type { EngineCluster, LanguageModel, RunSettings, Solver } from '#spec'
import { agentOptionsOf } from '../play/agent-options-of.ts'
import { modelOptionsOf } from '../play/model-options-of.ts'
import type { RunJob } from '../play/run-job.ts'
import { askOperator } from './ask-operator.ts'
import { hideLaboratory } from './hide-laboratory.ts'
import { openPrograms } from './open-programs.ts'

export interface SolverTools {
  readonly incident: Incident
  readonly cluster: EngineCluster
  /** Belongs to the worker and outlives the episode. */
  readonly models: ModelCache
  ask(text: string): Promise<boolean>
}

export interface OpenSolver {
  readonly solver: Solver
  /** Removes the sandbox of the solver, if it has one. */
  close(): Promise<void>
}

const policyOf = ({ settings, rollback }: RunJob, ask: SolverTools['ask']): Policy => {
  const { allow, deny, maxTokens, maxCostUsd, isApproved } = settings
  const approve: Policy['approve'] = isApproved ? (request) => askOperator(request, ask) : undefined
  return {
    rollback,
    budget: defined({ tokens: maxTokens, costUsd: maxCostUsd }),
    ...defined({ allow, deny, approve }),
  }
}

const modelsOf = (
  models: Readonly<Record<string, string>>,
  settings: RunSettings,
  open: ModelCache,
): Record<string, LanguageModel> => {
  const options = modelOptionsOf(settings)
  // Roles with the same model share one instance, so that a recording is played only once.
  const opened = new Map([...new Set(Object.values(models))].map((name) => [name, open(name, options)]))
  return Object.fromEntries(Object.entries(models).map(([role, name]) => [role, opened.get(name)!]))
}

export const openSolver = async (job: RunJob, tools: SolverTools): Promise<OpenSolver> => {
  const { contender } = job.planned
  if (contender.agent === 'reference') return { solver: referenceSolver(tools.incident), async close() {} }
  const { cluster, models, ask } = tools
  const options = agentOptionsOf(contender.agent, job.settings)
  const agent = await loadAgent(
    contender.agent,
    contender.agent === 'external' ? hideLaboratory(job.record, options) : options,
  )
  const { close, ...programs } = openPrograms(cluster, job.kubectl)
  const solver = agentSolver({
    agent,
    ...programs,
    name: contender.name,
    policy: policyOf(job, ask),
    sampling: job.settings.sampling,
    isThinkingTimed: job.settings.thinkingTime !== 'none',
    reportsVerdict: job.settings.reportsVerdict === true,
    models: modelsOf(contender.models, job.settings, models),
  })
  return { solver, close }
}
