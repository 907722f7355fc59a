/** The action run_playbook. */
import { z } from 'zod'
import { defined } from '#kit'
import { PLAYBOOK_TIMEOUT_MS, type PlaybookReport, type TaskResult } from '#platform/playbook'
import { RemediumError } from '#spec'
import { defineAction } from '../define-action.ts'
import { clip, toLine, toText } from '../to-text.ts'

const MAX_OUTPUT_CHARACTERS = 2500

const describeTask = ({ play, task, outcome, message }: TaskResult): string =>
  `${outcome.toUpperCase()}: ${task} (${play})${message === undefined ? '' : `: ${toLine(message, 600)}`}`

const hasFailed = ({ outcome }: TaskResult): boolean => outcome === 'failed' || outcome === 'unreachable'

const toHeadline = ({ ok, tasks, isRefused, rolledBack }: PlaybookReport): string => {
  if (isRefused) return 'The playbook was refused. It did not run.'
  const rollbackText =
    rolledBack === undefined
      ? ''
      : ` Its changes were rolled back: ${rolledBack.join(', ') || 'there was nothing to revert'}.`
  if (!ok) return `The playbook failed.${rollbackText}`
  // Ansible does not count tasks with ignore_errors or a rescue block as failures of the playbook.
  const failedCount = tasks.filter(hasFailed).length
  return failedCount === 0
    ? 'The playbook completed. No task failed.'
    : `The playbook completed. ${failedCount} ${failedCount === 1 ? 'task' : 'tasks'} failed and ${failedCount === 1 ? 'was' : 'were'} ignored or rescued.`
}

/** Puts failed tasks first. */
const sortTasks = (tasks: readonly TaskResult[]): TaskResult[] =>
  tasks.toSorted((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)))

export const runPlaybook = defineAction({
  name: 'run_playbook',
  about:
    'Runs an Ansible playbook (YAML) with ansible-playbook on localhost, in a sandbox. The collection kubernetes.core is ' +
    'installed (k8s, k8s_info, k8s_scale, k8s_exec, k8s_drain) and configured for the cluster with the permissions of your ' +
    'account. Set the namespace in every task that names an object of the namespace. The playbook is checked before it ' +
    'runs: a playbook is refused, with the reason, if it deletes namespaces, volumes, claims or nodes, or changes objects ' +
    'outside the namespace of the system (except to cordon, taint, label or annotate nodes), or uses a host other than ' +
    'localhost. ' +
    `A playbook is killed after ${PLAYBOOK_TIMEOUT_MS / 1000} s, so set shorter timeouts for wait conditions in its tasks. ` +
    'The observation reports the outcome of each task. A successful playbook does not imply that the system has ' +
    'recovered; use get_alerts or get_metrics to check.',
  example: {
    playbook:
      '- hosts: localhost\n  gather_facts: false\n  tasks:\n    - name: Scale cart to two replicas\n      kubernetes.core.k8s_scale:\n' +
      '        api_version: apps/v1\n        kind: Deployment\n        namespace: shop\n        name: cart\n        replicas: 2\n',
  },
  isReadOnly: false,
  reach: 'pods',
  input: z.strictObject({
    playbook: z.string().max(1_000_000).describe('The text of the playbook, in YAML.'),
  }),
  async run(context, { playbook }) {
    const { playbooks, api, kubeconfig, briefing, rollback, signal } = context
    if (playbooks === undefined)
      throw new RemediumError('defect', 'run_playbook was called without a playbook runner.')
    const report = await playbooks.run({
      text: playbook,
      api,
      kubeconfig,
      namespace: briefing.namespace,
      rollback,
      signal,
      takeSnapshot: () => context.takeSnapshot(),
      onEvent: (event) => context.record(event),
    })
    const { ok, tasks, output, findings, isRefused, rolledBack } = report
    const details = toText(
      [
        { title: isRefused ? 'Reasons' : 'Warnings', lines: findings, maxLines: 10 },
        { title: 'Tasks, failed ones first', lines: sortTasks(tasks).map(describeTask), maxLines: 25 },
      ],
      // The output of a successful playbook is not shown.
      ok
        ? 'Output truncated. To see more, run a playbook with fewer tasks or shorter messages.'
        : 'Output truncated. See the output of Ansible for more.',
    )
    const outputText =
      ok || output.trim() === ''
        ? ''
        : `\nOutput of Ansible:\n${clip(output.trim(), MAX_OUTPUT_CHARACTERS, 0.3)}`
    return {
      ok,
      text: `${toHeadline(report)}\n${details}${outputText}`,
      data: { ok, tasks, output, ...defined({ rolledBack }) },
    }
  },
})
