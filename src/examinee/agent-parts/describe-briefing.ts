/** The text of a briefing, which the prompts of all agents with a language model contain. */
import type { Briefing } from '#spec'
import { describeTask } from './describe-task.ts'

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
