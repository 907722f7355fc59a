/** What each task has where nothing else is said: how long it may take, and what an agent may be told. */
import type { Budget, ReportKind, Task } from '../spec/index.ts'

export const BUDGETS: Readonly<Record<Task, Budget>> = {
  detection: { steps: 15, seconds: 300 },
  localisation: { steps: 25, seconds: 600 },
  analysis: { steps: 25, seconds: 600 },
  mitigation: { steps: 40, seconds: 900 },
  remediation: { steps: 20, seconds: 900 },
  'end-to-end': { steps: 60, seconds: 1800 },
}

/** Those that give nothing of the answer away; the first ones are the usual ones. */
export const REPORTS: Readonly<Record<Task, readonly ReportKind[]>> = {
  detection: ['none', 'symptoms'],
  localisation: ['symptoms', 'none'],
  analysis: ['symptoms', 'none'],
  mitigation: ['symptoms', 'none', 'label'],
  remediation: ['label', 'symptoms', 'none'],
  'end-to-end': ['none', 'symptoms'],
}
