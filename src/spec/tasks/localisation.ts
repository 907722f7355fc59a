/** The task to determine which services are at fault. */
import { defineTask } from './define-task.ts'
import { localisation as question } from './questions/localisation.ts'

export const localisation = defineTask({
  name: 'localisation',
  about: 'Which services are at fault, the most likely first?',
  goal: 'Determine which services are at fault. Do not change anything.',
  repairs: false,
  questions: [question],
  budget: { steps: 25, seconds: 600 },
  reports: ['symptoms', 'none'],
})
