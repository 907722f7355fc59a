/** The task to determine whether a fault is present. */
import { defineTask } from './define-task.ts'
import { detection as question } from './questions/detection.ts'

export const detection = defineTask({
  name: 'detection',
  about: 'Is there a fault?',
  goal: 'Determine whether a fault is present in the system. Do not change anything.',
  repairs: false,
  questions: [question],
  budget: { steps: 15, seconds: 300 },
  reports: ['none', 'symptoms'],
  hasControls: true,
})
