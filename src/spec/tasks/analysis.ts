/** The task to determine the layer and the type of the cause. */
import { defineTask } from './define-task.ts'
import { analysis as question } from './questions/analysis.ts'

export const analysis = defineTask({
  name: 'analysis',
  about: 'What are the layer and the type of the fault?',
  goal: 'Determine the layer and the type of the cause. Do not change anything.',
  repairs: false,
  questions: [question],
  budget: { steps: 25, seconds: 600 },
  reports: ['symptoms', 'none'],
})
