/** Vets playbooks of agents and runs them with Ansible in a sandbox. */
import { defined } from '#kit'
import type { Sandbox } from '#machine/sandbox'
import { DEFAULT_POLICY, type PlaybookPolicy } from './playbook-policy.ts'
import type { PlaybookReport } from './playbook-report.ts'
import { runAnsible } from './run-ansible.ts'
import { createSandboxExecutor } from './sandbox-executor.ts'
import type { TaskResult } from './task-reporter.ts'
import { type Vetting, vetPlaybook } from './vet-playbook.ts'

export interface PlaybookRunnerOptions {
  readonly sandbox: Sandbox
  /** Content of the agent's kubeconfig. */
  readonly kubeconfig: string
  /** The namespace of the system; other namespaces must not be changed. */
  readonly namespace: string
  readonly policy?: PlaybookPolicy
  /** Time limit of one playbook. */
  readonly timeoutMs?: number
}

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

/** An inventory in which every group that the policy allows consists of localhost. */
const toInventory = ({ hosts }: PlaybookPolicy): string => {
  const groups = hosts.filter((name) => /^[a-z]\w*$/i.test(name) && !['all', 'localhost'].includes(name))
  return ['localhost', ...groups.flatMap((group) => [`[${group}]`, 'localhost']), ''].join('\n')
}

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

export const createPlaybookRunner = (options: PlaybookRunnerOptions): PlaybookRunner => {
  const { sandbox, kubeconfig, namespace, policy = DEFAULT_POLICY, timeoutMs = PLAYBOOK_TIMEOUT_MS } = options
  const executor = createSandboxExecutor(sandbox)
  const vet = (text: string): Vetting => vetPlaybook(text, { namespace, policy })
  return {
    vet,
    async run(text, { signal, onVetted, onTask } = {}) {
      const vetting = vet(text)
      onVetted?.(vetting)
      if (vetting.isRefused) return toRefusal(vetting)
      const report = await runAnsible(executor, {
        text,
        kubeconfig,
        inventory: toInventory(policy),
        variables: FORCED_VARIABLES,
        timeoutMs,
        signal,
        ...defined({ onTask }),
      })
      return { ...report, findings: vetting.findings }
    },
  }
}
