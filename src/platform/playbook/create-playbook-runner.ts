/** Vets playbooks of agents, and runs them with Ansible in a sandbox or by the engine of the cluster. */
import { defined } from '#kit'
import type { Sandbox } from '#machine/sandbox'
import type { EnginePlaybook, KubeApi, RunEnginePlaybook } from '#spec'
import { DEFAULT_POLICY, type PlaybookPolicy } from './playbook-policy.ts'
import type { PlaybookReport } from './playbook-report.ts'
import { runAnsible } from './run-ansible.ts'
import { runOnEngine } from './run-on-engine.ts'
import { createSandboxExecutor } from './sandbox-executor.ts'
import type { TaskResult } from './task-reporter.ts'
import { type Vetting, vetPlaybook } from './vet-playbook.ts'

/** Runs playbooks with Ansible in a sandbox. */
interface SandboxOptions {
  readonly sandbox: Sandbox
  /** Content of the agent's kubeconfig. */
  readonly kubeconfig: string
}

/** Lets the engine run playbooks. */
interface EngineOptions {
  readonly runOnEngine: RunEnginePlaybook
  /** Has the rights of the agent. */
  readonly api: KubeApi
}

interface VettingOptions {
  /** The namespace of the system; other namespaces must not be changed. */
  readonly namespace: string
  readonly policy?: PlaybookPolicy
  /** Time limit of one playbook. */
  readonly timeoutMs?: number
}

export type PlaybookRunnerOptions = VettingOptions & (SandboxOptions | EngineOptions)

export interface PlaybookAttempt {
  readonly signal?: AbortSignal | undefined
  /** Called once the playbook is vetted. */
  onVetted?(vetting: Vetting): void
  /** Called when a task ends. After 900 tasks, only the last 100 results are reported, when the playbook ends. */
  onTask?(result: TaskResult): void
}

export interface PlaybookRunner {
  vet(text: string): Vetting
  /** Rejects only on failures of the machine, never because of the playbook. */
  run(text: string, attempt?: PlaybookAttempt): Promise<PlaybookReport>
}

/** Default time limit of a playbook. */
export const PLAYBOOK_TIMEOUT_MS = 120_000

/** The groups of hosts that the policy allows; each consists of localhost. */
const groupsOf = ({ hosts }: PlaybookPolicy): readonly string[] =>
  hosts.filter((name) => /^[a-z]\w*$/i.test(name) && !['all', 'localhost'].includes(name))

const toInventory = (groups: readonly string[]): string =>
  ['localhost', ...groups.flatMap((group) => [`[${group}]`, 'localhost']), ''].join('\n')

/** Keeps tasks in the sandbox, and keeps them from becoming another user. */
const FORCED_VARIABLES = { ansible_connection: 'local', ansible_become: false }

const toRefusal = ({ findings }: Vetting): PlaybookReport => ({
  ok: false,
  isRefused: true,
  findings,
  tasks: [],
  milliseconds: 0,
  output: ['The playbook was not run.', ...findings].join('\n'),
})

type VettedPlaybook = Pick<EnginePlaybook, 'text' | 'groups' | 'timeoutMs' | 'signal' | 'onTask'>

const createExecution = (
  options: PlaybookRunnerOptions,
): ((playbook: VettedPlaybook) => Promise<PlaybookReport>) => {
  if ('runOnEngine' in options) {
    const { runOnEngine: run, api, namespace } = options
    return (playbook) => runOnEngine(run, { ...playbook, api, namespace })
  }
  const { sandbox, kubeconfig } = options
  const executor = createSandboxExecutor(sandbox)
  return ({ groups, ...playbook }) =>
    runAnsible(executor, {
      ...playbook,
      kubeconfig,
      inventory: toInventory(groups),
      variables: FORCED_VARIABLES,
    })
}

export const createPlaybookRunner = (options: PlaybookRunnerOptions): PlaybookRunner => {
  const { namespace, policy = DEFAULT_POLICY, timeoutMs = PLAYBOOK_TIMEOUT_MS } = options
  const execute = createExecution(options)
  const vet = (text: string): Vetting => vetPlaybook(text, { namespace, policy })
  return {
    vet,
    async run(text, { signal, onVetted, onTask } = {}) {
      const vetting = vet(text)
      onVetted?.(vetting)
      if (vetting.isRefused) return toRefusal(vetting)
      const groups = groupsOf(policy)
      const report = await execute({ text, groups, timeoutMs, signal, ...defined({ onTask }) })
      return { ...report, findings: vetting.findings }
    },
  }
}
