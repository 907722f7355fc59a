/** Whoever is to play an episode: one of the laboratory's own, or an agent behind the agent-cloud interface. */
import {
  agentSolver,
  type Playbooks,
  type Policy,
  type Shell,
  sandboxPlaybooks,
  sandboxShell,
} from '../../aci/index.ts'
import { loadAgent } from '../../agents/index.ts'
import { type Prepared, referenceSolver } from '../../episode/index.ts'
import { lazily } from '../../kit/index.ts'
import type { ModelKeeper } from '../../models/index.ts'
import { createSandbox, type Sandbox } from '../../sandbox/index.ts'
import type { EngineCluster, LanguageModel, RunSettings, Solver } from '../../spec/index.ts'
import type { AgentJob } from '../play/agent-job.ts'
import { agentOptionsOf } from '../play/agent-options-of.ts'
import { modelOptionsOf } from '../play/model-options-of.ts'
import { askPerson } from './ask-person.ts'

export interface SolverTools {
  readonly prepared: Prepared
  readonly cluster: EngineCluster
  /** The worker's: it outlives the episode. */
  readonly models: ModelKeeper
  ask(text: string): Promise<boolean>
}

export interface OpenSolver {
  readonly solver: Solver
  /** Leaves nothing of what it has used. */
  close(): Promise<void>
}

const policyOf = ({ settings, rollback }: AgentJob, ask: SolverTools['ask']): Policy => {
  const { allow, deny, mostTokens, mostCostUsd, isApproved } = settings
  return {
    rollback,
    ...(allow === undefined ? {} : { allow }),
    ...(deny === undefined ? {} : { deny }),
    budget: {
      ...(mostTokens === undefined ? {} : { tokens: mostTokens }),
      ...(mostCostUsd === undefined ? {} : { costUsd: mostCostUsd }),
    },
    ...(isApproved
      ? {
          approve: (request) => askPerson(request, ask),
        }
      : {}),
  }
}

const modelsOf = (
  models: Readonly<Record<string, string>>,
  settings: RunSettings,
  open: ModelKeeper,
): Record<string, LanguageModel> => {
  const options = modelOptionsOf(settings)
  // Parts that share a recording share what is left of it.
  const opened = new Map([...new Set(Object.values(models))].map((name) => [name, open(name, options)]))
  return Object.fromEntries(Object.entries(models).map(([role, name]) => [role, opened.get(name)!]))
}

/** Made when somebody first needs it: many episodes end without. */
const lazySandbox = (server: string, kubectl: string | undefined) => {
  let made: Promise<Sandbox> | undefined
  return {
    get: (): Promise<Sandbox> => {
      made ??= createSandbox({ server, ...(kubectl === undefined ? {} : { tools: { kubectl } }) })
      return made
    },
    async close(): Promise<void> {
      const sandbox = await made?.catch(() => undefined)
      await sandbox?.close()
    },
  }
}

export const openSolver = async (job: AgentJob, tools: SolverTools): Promise<OpenSolver> => {
  const { contender } = job.planned
  if (contender.agent === 'reference') return { solver: referenceSolver(tools.prepared), async close() {} }
  const { cluster, models, ask } = tools
  const agent = await loadAgent(contender.agent, agentOptionsOf(contender.agent, job.settings))
  const sandbox = lazySandbox(cluster.server, job.kubectl)
  const shell: Shell = {
    run: async (request) => sandboxShell(await sandbox.get()).run(request),
  }
  const playbooks: Playbooks = {
    run: async (request) => sandboxPlaybooks(await sandbox.get()).run(request),
  }
  const solver = agentSolver({
    agent,
    shell,
    playbooks,
    name: contender.name,
    policy: policyOf(job, ask),
    models: modelsOf(contender.models, job.settings, models),
  })
  return { solver, close: lazily(() => sandbox.close()) }
}
