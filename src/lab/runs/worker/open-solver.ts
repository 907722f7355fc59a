/** Opens the solver of an episode: the reference, or an agent behind the agent-cloud interface. */
import { type Incident, referenceSolver } from '#exam/episode'
import {
  agentSolver,
  enginePlaybooks,
  engineShell,
  type Playbooks,
  type Policy,
  type Shell,
  sandboxPlaybooks,
  sandboxShell,
} from '#examinee/aci'
import { loadAgent } from '#examinee/agents'
import type { ModelCache } from '#examinee/models'
import { defined, lazily } from '#kit'
import { createSandbox, type Sandbox } from '#machine/sandbox'
import type { EngineCluster, LanguageModel, RunSettings, Solver } from '#spec'
import { agentOptionsOf } from '../play/agent-options-of.ts'
import { modelOptionsOf } from '../play/model-options-of.ts'
import type { RunJob } from '../play/run-job.ts'
import { askOperator } from './ask-operator.ts'
import { hideLaboratory } from './hide-laboratory.ts'

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

/** Creates the sandbox on first use: many episodes end without one. */
const createLazySandbox = ({ server, connectSandbox }: EngineCluster, kubectl: string | undefined) => {
  let creating: Promise<Sandbox> | undefined
  return {
    get: (): Promise<Sandbox> => {
      creating ??= createSandbox({
        server,
        dial: connectSandbox,
        ...defined({ tools: kubectl === undefined ? undefined : { kubectl } }),
      })
      return creating
    },
    async close(): Promise<void> {
      const sandbox = await creating?.catch(() => undefined)
      await sandbox?.close()
    },
  }
}

interface ProgramTools {
  readonly playbooks: Playbooks
  /** Absent if the engine runs playbooks only. */
  readonly shell?: Shell
  close(): Promise<void>
}

/** An engine that runs playbooks itself has no server that a sandbox could reach. */
const openPrograms = (cluster: EngineCluster, kubectl: string | undefined): ProgramTools => {
  const { runPlaybook, runShell } = cluster
  if (runPlaybook !== undefined)
    return {
      playbooks: enginePlaybooks(runPlaybook),
      ...defined({ shell: runShell && engineShell(runShell) }),
      async close() {},
    }
  const sandbox = createLazySandbox(cluster, kubectl)
  return {
    playbooks: { run: async (request) => sandboxPlaybooks(await sandbox.get()).run(request) },
    shell: { run: async (request) => sandboxShell(await sandbox.get()).run(request) },
    close: lazily(() => sandbox.close()),
  }
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
