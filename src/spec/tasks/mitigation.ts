/** The task to repair the system with any action. */
import { defineTask } from './define-task.ts'

export const mitigation = defineTask({
  name: 'mitigation',
  about: 'Repair the system with any action.',
  goal: 'Repair the system with any of the available actions.',
  repairs: true,
  questions: [],
  budget: { steps: 40, seconds: 900 },
  reports: ['symptoms', 'none', 'label'],
})
