/** The action run_playbook. */
import { z } from 'zod'
import { PLAYBOOK_TIMEOUT_MS } from '../../playbook/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { defineAction } from '../define-action.ts'
import type { PlaybookReport, PlaybookTask } from '../ports.ts'
import { clip, toLine, toText } from '../to-text.ts'

const OUTPUT_LETTERS = 2500

const describeTask = ({ play, task, outcome, message }: PlaybookTask): string =>
  `${outcome.toUpperCase()}: ${task} (${play})${message === undefined ? '' : `: ${toLine(message, 600)}`}`

const isBad = ({ outcome }: PlaybookTask): boolean => outcome === 'failed' || outcome === 'unreachable'

const headline = ({ ok, tasks, isRefused, rolledBack }: PlaybookReport): string => {
  if (isRefused === true) return 'The playbook was refused and not run.'
  const back =
    rolledBack === undefined
      ? ''
      : ` What it had changed was taken back: ${rolledBack.join(', ') || 'nothing'}.`
  if (!ok) return `The playbook failed.${back}`
  // Ansible takes those for no failure that were told to be ignored, or that a rescue followed.
  const bad = tasks.filter(isBad).length
  return bad === 0
    ? 'The playbook ran, and every task went well.'
    : `The playbook ran to its end, but ${bad} of its tasks failed and ${bad === 1 ? 'was' : 'were'} ignored or rescued.`
}

/** Those that failed first; those that went well need no words. */
const sortTasks = (tasks: readonly PlaybookTask[]): PlaybookTask[] =>
  tasks.toSorted((one, other) => Number(isBad(other)) - Number(isBad(one)))

export const runPlaybook = defineAction({
  name: 'run_playbook',
  about:
    'Runs an Ansible playbook (YAML) with the real ansible-playbook on localhost, in a sandbox. The collection ' +
    'kubernetes.core is there (k8s, k8s_info, k8s_scale, k8s_exec, k8s_drain), set up for the cluster with your rights; ' +
    'name the namespace in every task. Before it runs it is vetted: what would destroy namespaces or volumes, touch ' +
    'other namespaces or the host is refused, with the reason. ' +
    `After ${PLAYBOOK_TIMEOUT_MS / 1000} s it is ended, done or not: let its tasks wait for less than that. ` +
    'You are told how each task ended. Afterwards check by get_alerts or get_metrics whether users are well again: ' +
    'that a playbook went through does not prove it.',
  example: {
    playbook:
      '- hosts: localhost\n  gather_facts: false\n  tasks:\n    - name: Two replicas\n      kubernetes.core.k8s_scale:\n' +
      '        api_version: apps/v1\n        kind: Deployment\n        namespace: shop\n        name: cart\n        replicas: 2\n',
  },
  isReadOnly: false,
  input: z.strictObject({ playbook: z.string().max(1_000_000).describe('The text of the playbook, YAML.') }),
  async run(context, { playbook }) {
    const { playbooks, kubeconfig, briefing, rollback, signal } = context
    if (playbooks === undefined) throw new RemediumError('defect', 'There is nobody to run playbooks.')
    const report = await playbooks.run({
      text: playbook,
      kubeconfig,
      namespace: briefing.namespace,
      rollback,
      signal,
      remember: () => context.remember(),
      onEvent: (event) => context.record(event),
    })
    const { ok, tasks, output, findings = [], isRefused, rolledBack } = report
    const told = toText(
      [
        { title: isRefused === true ? 'Because' : 'Noteworthy', lines: findings, most: 10 },
        { title: 'Tasks, those that failed first', lines: sortTasks(tasks).map(describeTask), most: 25 },
      ],
      // Of one that went through Ansible's words are not told.
      ok
        ? 'The rest: a playbook of fewer tasks, each of which says less.'
        : 'The rest is in the output of Ansible.',
    )
    const said =
      ok || output.trim() === '' ? '' : `\nWhat Ansible said:\n${clip(output.trim(), OUTPUT_LETTERS, 0.3)}`
    return {
      ok,
      text: `${headline(report)}\n${told}${said}`,
      data: { ok, tasks, output, ...(rolledBack === undefined ? {} : { rolledBack }) },
    }
  },
})
