/**
 * Runs ansible-playbook through an executor: on the host for trusted playbooks, in a sandbox for those of
 * agents.
 */
import { RemediumError } from '#spec'
import { ansibleEnvironment } from './ansible-environment.ts'
import { findAnsiblePlaybook, pythonOf } from './find-ansible.ts'
import type { PlaybookReport } from './playbook-report.ts'
import { parseTaskResult, REPORTER, REPORTER_NAME, type TaskResult } from './task-reporter.ts'
import { createTaskResults } from './task-results.ts'

/** Folders as the program sees them. */
export interface AnsibleFolders {
  /** Holds the files of the program. */
  readonly input: string
  /** Writable. */
  readonly home: string
}

export interface AnsibleProgram {
  readonly command: readonly string[]
  readonly files: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string>>
}

export interface ExecutionLimits {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Receives the lines that the program writes to descriptor 3. */
  onLine(line: string): void
}

export interface Execution {
  /** Whether the program exited with code 0 and was not killed. */
  readonly ok: boolean
  readonly output: string
  /** The reason why it was killed; undefined if it was not. */
  readonly failure?: string | undefined
  readonly milliseconds: number
}

/** Rejects only on failures of the machine. */
export interface AnsibleExecutor {
  run(toProgram: (folders: AnsibleFolders) => AnsibleProgram, limits: ExecutionLimits): Promise<Execution>
}

export interface AnsibleRun {
  /** YAML. */
  readonly text: string
  /** Content of the kubeconfig. */
  readonly kubeconfig: string
  /** Content of the inventory file. */
  readonly inventory: string
  /** Extra variables, which override every setting of the playbook. */
  readonly variables?: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Called when a task ends. */
  onTask?(result: TaskResult): void
}

const findAnsible = (): { playbook: string; python: string } => {
  const playbook = findAnsiblePlaybook()
  if (playbook === undefined)
    throw new RemediumError('tool-missing', 'ansible-playbook is not installed in /usr/bin.', {
      hint: 'Run "remedium doctor" to see how to install it.',
    })
  return { playbook, python: pythonOf(playbook) }
}

const toProgram = (
  { text, kubeconfig, inventory, variables = {} }: AnsibleRun,
  { input, home }: AnsibleFolders,
): AnsibleProgram => {
  const { playbook, python } = findAnsible()
  const extraVariables = JSON.stringify({ ...variables, ansible_python_interpreter: python })
  return {
    command: [playbook, '-i', `${input}/inventory`, '-e', extraVariables, `${input}/playbook.yml`],
    files: {
      'playbook.yml': text,
      inventory,
      kubeconfig,
      'ansible.cfg': '',
      [`${REPORTER_NAME}.py`]: REPORTER,
    },
    environment: {
      ...ansibleEnvironment({
        text,
        home,
        kubeconfig: `${input}/kubeconfig`,
        config: `${input}/ansible.cfg`,
        python,
      }),
      ANSIBLE_CALLBACK_PLUGINS: input,
      ANSIBLE_CALLBACKS_ENABLED: REPORTER_NAME,
      PYTHONDONTWRITEBYTECODE: '1',
    },
  }
}

export const runAnsible = async (executor: AnsibleExecutor, run: AnsibleRun): Promise<PlaybookReport> => {
  findAnsible()
  const { timeoutMs, signal } = run
  const results = createTaskResults(run.onTask)
  const { ok, output, failure, milliseconds } = await executor.run((folders) => toProgram(run, folders), {
    timeoutMs,
    signal,
    onLine: (line) => results.add(parseTaskResult(line)),
  })
  return {
    ok,
    isRefused: false,
    findings: [],
    tasks: results.end(),
    output: failure === undefined ? output : `${output}\nkilled: ${failure}\n`,
    milliseconds,
  }
}
