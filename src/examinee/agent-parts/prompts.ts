/** The parts of prompts that all agents with a language model share. */
import type { Briefing } from '#spec'
import { describeTask } from './describe-task.ts'

/** The rules by which repairs are judged. */
export const REPAIR_RULES = [
  'Rules:',
  '- Users use the system at all times. Keep it available, and prefer changes that do not interrupt requests.',
  '- Repair the cause. The system counts as repaired when users are served as before the incident, the cause is gone, and',
  '  nothing else has become worse.',
  '- Do not restart, delete or replace anything without need. A restart can hide a symptom while its cause remains.',
  '- Make the smallest change that repairs the cause. Do not remove or reduce replicas, limits, probes, policies or other',
  '  objects only to silence a symptom.',
  '- Do not change services that are not involved in the fault.',
  '- If nothing is wrong, or the problem has passed without intervention, change nothing.',
].join('\n')

/** The form that a playbook must have. */
export const describePlaybooks = (namespace: string): string =>
  [
    'Playbooks:',
    '- A playbook is YAML for `ansible-playbook`: a list of plays, each with `hosts: localhost`, `connection: local` and',
    '  `gather_facts: false`.',
    `- The modules of \`kubernetes.core\` (k8s, k8s_info, k8s_scale and others) have credentials for the namespace ${namespace}.`,
    '  Name this namespace in every object. Do not write secrets, addresses or a kubeconfig into the playbook.',
    '- To change one field of an object, use `kubernetes.core.k8s` with `state: patched` and a definition that contains only',
    '  this field. Lists of containers are merged by container name.',
    '- The playbook is run exactly as written.',
  ].join('\n')

const REPORT_TITLES: Readonly<Record<Briefing['report']['kind'], string>> = {
  label: 'Diagnosis from an earlier investigation',
  symptoms: 'Report from the monitoring',
  none: 'Report',
}

/** The task, the system, the report and the budget. */
export const describeBriefing = ({ task, system, namespace, report, budget }: Briefing): string =>
  [
    `The system "${system}" runs in the Kubernetes namespace "${namespace}".`,
    `Your task: ${describeTask(task)}`,
    `${REPORT_TITLES[report.kind]}:`,
    report.text.trim() === '' ? '(no report)' : report.text.trim(),
    `Your budget: ${budget.seconds} seconds and ${budget.steps} actions. \`submit\` does not count as an action.`,
  ].join('\n')
