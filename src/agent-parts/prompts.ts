/** What every agent with a language model is told, whatever its method. */
import type { Briefing } from '../spec/index.ts'
import { describeTask } from './tasks.ts'

/** How to behave on a system that people use. */
export const HOUSE_RULES = [
  'Rules of the house:',
  '- Real users are on the system all the time. Keep them served, and prefer changes that interrupt nobody.',
  '- Mend the cause. It counts as mended when users are served as before, the cause is gone and nothing else is worse.',
  '- Restart, delete or replace nothing without need: where that makes a symptom go away, its cause comes back.',
  '- Change as little as you can. Take no replicas, limits, probes, policies or objects away only to silence a symptom,',
  '  and leave services that have no part in the fault as they are.',
  '- Where nothing is wrong, or the trouble has passed by itself, change nothing.',
].join('\n')

/** How a playbook must look. */
export const describePlaybooks = (namespace: string): string =>
  [
    'About playbooks: a playbook is YAML for `ansible-playbook`, a list of plays, each with `hosts: localhost`,',
    '`connection: local` and `gather_facts: false`. The modules of `kubernetes.core` (k8s, k8s_info, k8s_scale and others)',
    `find credentials for the namespace ${namespace} by themselves; name that namespace in every object. To change one`,
    'field of an object, give `kubernetes.core.k8s` with `state: patched` only that field; lists of containers are merged',
    'by their names. Write no secrets, addresses or kubeconfig into it. The playbook runs as it is, nobody corrects it.',
  ].join('\n')

const REPORTS: Readonly<Record<Briefing['report']['kind'], string>> = {
  label: 'Somebody has diagnosed it already',
  symptoms: 'Monitoring says',
  none: 'Nobody has looked into it yet',
}

/** The situation: the task, the system, the report, the budget. */
export const describeBriefing = ({ task, system, namespace, report, budget }: Briefing): string =>
  [
    `The system "${system}" runs in the Kubernetes namespace "${namespace}".`,
    `Your task: ${describeTask(task)}`,
    `${REPORTS[report.kind]}:`,
    report.text.trim() === '' ? '(no report)' : report.text.trim(),
    `You have ${budget.seconds} seconds and ${budget.steps} actions.`,
  ].join('\n')
