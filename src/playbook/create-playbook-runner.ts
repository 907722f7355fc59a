/** Vets and runs playbooks of agents with the real ansible-playbook, in a sandbox. */

import type { Sandbox } from '../sandbox/index.ts'
import { RemediumError } from '../spec/index.ts'
import { ansibleEnvironment } from './ansible-environment.ts'
import { findAnsiblePlaybook, pythonOf } from './find-ansible.ts'
import { DEFAULT_POLICY, type PlaybookPolicy } from './playbook-policy.ts'
import { parseTaskResult, REPORTER, REPORTER_NAME, type TaskResult } from './task-reporter.ts'
import { createTaskResults } from './task-results.ts'
import { type Vetting, vetPlaybook } from './vet-playbook.ts'

export interface PlaybookRunnerOptions {
  readonly sandbox: Sandbox
  /** The text of the agent's own. */
  readonly kubeconfig: string
  /** Of the system: what is outside of it is not to be touched. */
  readonly namespace: string
  readonly policy?: PlaybookPolicy
  /** Of one playbook. */
  readonly timeoutMs?: number
}

export interface PlaybookAttempt {
  readonly signal?: AbortSignal | undefined
  /** Told as soon as it is vetted. */
  onVetted?(vetting: Vetting): void
  /** Told as each task ends; of very many the last ones at the end. */
  onTask?(result: TaskResult): void
}

export interface PlaybookReport {
  /** Whether it ran to its end: tasks that failed were ignored or rescued. */
  readonly ok: boolean
  /** It was not run at all; the findings say why. */
  readonly isRefused: boolean
  readonly findings: readonly string[]
  /** What its own process claims: `ok` does not rest on it. Of very many the first and the last. */
  readonly tasks: readonly TaskResult[]
  /** What Ansible said; of much of it the beginning and the end. Where it was refused, why. */
  readonly output: string
  readonly milliseconds: number
}

export interface PlaybookRunner {
  vet(text: string): Vetting
  /** Resolves whatever the playbook is; rejects only where the machine is at fault. */
  run(text: string, attempt?: PlaybookAttempt): Promise<PlaybookReport>
}

/** How long a playbook may run where nothing else is asked. */
export const PLAYBOOK_TIMEOUT_MS = 120_000
const INPUT = '/input'
const HOME = '/tmp'
/** Tasks that name the kubeconfig by its usual place find it there. */
const BEGIN = `mkdir -p ${HOME}/.kube && ln -s ${INPUT}/kubeconfig ${HOME}/.kube/config && exec "$@"`

/** Every name that the policy takes for hosts means the one machine. */
const toInventory = ({ hosts }: PlaybookPolicy): string => {
  const groups = hosts.filter((name) => /^[a-z]\w*$/i.test(name) && !['all', 'localhost'].includes(name))
  return ['localhost', ...groups.flatMap((group) => [`[${group}]`, 'localhost']), ''].join('\n')
}

/** Above all that a playbook can set. */
const FORCED = { ansible_connection: 'local', ansible_become: false }

const refused = ({ findings }: Vetting): PlaybookReport => ({
  ok: false,
  isRefused: true,
  findings,
  tasks: [],
  milliseconds: 0,
  output: ['The playbook was not run.', ...findings].join('\n'),
})

const findInside = (): { playbook: string; python: string } => {
  const playbook = findAnsiblePlaybook()
  if (playbook === undefined)
    throw new RemediumError('tool-missing', 'There is no ansible-playbook in /usr/bin.', {
      hint: 'Run "remedium doctor" to see how to get it.',
    })
  return { playbook, python: pythonOf(playbook) }
}

export const createPlaybookRunner = (options: PlaybookRunnerOptions): PlaybookRunner => {
  const { sandbox, kubeconfig, namespace, policy = DEFAULT_POLICY, timeoutMs = PLAYBOOK_TIMEOUT_MS } = options
  const vet = (text: string): Vetting => vetPlaybook(text, { namespace, policy })

  const runVetted = async (
    text: string,
    { findings }: Vetting,
    { signal, onTask }: PlaybookAttempt,
  ): Promise<PlaybookReport> => {
    const { playbook, python } = findInside()
    const results = createTaskResults(onTask)
    const { exitCode, stdout, stderr, cut, trouble, milliseconds } = await sandbox.run({
      command: [
        ...['/bin/sh', '-c', BEGIN, 'sh'],
        ...[
          playbook,
          '-i',
          `${INPUT}/inventory`,
          '-e',
          JSON.stringify({ ...FORCED, ansible_python_interpreter: python }),
        ],
        `${INPUT}/playbook.yml`,
      ],
      files: {
        'playbook.yml': text,
        inventory: toInventory(policy),
        kubeconfig,
        'ansible.cfg': '',
        [`${REPORTER_NAME}.py`]: REPORTER,
      },
      environment: {
        ...ansibleEnvironment({
          text,
          home: HOME,
          kubeconfig: `${INPUT}/kubeconfig`,
          config: `${INPUT}/ansible.cfg`,
          python,
        }),
        ANSIBLE_CALLBACK_PLUGINS: INPUT,
        ANSIBLE_CALLBACKS_ENABLED: REPORTER_NAME,
        PYTHONDONTWRITEBYTECODE: '1',
      },
      folder: HOME,
      limits: { timeoutMs },
      signal,
      onLine: (line) => results.add(parseTaskResult(line)),
    })
    const tasks = results.end()
    const ended = trouble === undefined ? '' : `\nended by force: ${trouble}\n`
    return {
      ok: exitCode === 0 && cut === undefined,
      isRefused: false,
      findings,
      tasks,
      milliseconds,
      output: [stdout, stderr].filter((part) => part.trim() !== '').join('\n') + ended,
    }
  }

  return {
    vet,
    async run(text, attempt = {}) {
      const vetting = vet(text)
      attempt.onVetted?.(vetting)
      return vetting.isRefused ? refused(vetting) : runVetted(text, vetting, attempt)
    },
  }
}
