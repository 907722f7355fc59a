/** The parts of prompts that all agents with a language model share. */
import type { Briefing } from '#spec'
import { describeTask } from './describe-task.ts'

/** The form that a playbook must have. */
export const describePlaybooks = (namespace: string): string =>
  [
    'Playbooks:',
    '- A playbook is YAML for `ansible-playbook`: a list of plays, each with `hosts: localhost`, `connection: local` and',
    '  `gather_facts: false`.',
    '- The modules of `kubernetes.core` (k8s, k8s_info, k8s_scale and others) are configured for the cluster and need no',
    `  kubeconfig and no address. They may change objects of the namespace ${namespace}, and may cordon, taint, label and annotate`,
    `  nodes. Set \`namespace: ${namespace}\` in every task that names an object of the namespace.`,
    '- To change one field of an object, use `kubernetes.core.k8s` with `state: patched` and a definition that contains only',
    '  apiVersion, kind, metadata and this field. Lists of containers are merged by container name.',
    '- The playbook is run exactly as written.',
  ].join('\n')

const REPORT_TITLES: Readonly<Record<Briefing['report']['kind'], string>> = {
  label: 'Diagnosis from an earlier investigation',
  symptoms: 'Report from monitoring',
  none: 'Report',
}

/** The task, the system, the report and the budget. */
export const describeBriefing = ({ task, system, namespace, report, budget }: Briefing): string =>
  [
    `The system "${system}" runs in the Kubernetes namespace "${namespace}".`,
    `Your task: ${describeTask(task)}`,
    `${REPORT_TITLES[report.kind]}:`,
    report.text.trim() === '' ? '(no report)' : report.text.trim(),
    `Your budget: ${budget.seconds} seconds and ${budget.steps} actions. The episode ends with the last action of the budget, so call \`submit\` before it. \`submit\` does not count as an action.`,
  ].join('\n')
