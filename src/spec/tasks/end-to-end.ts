/** The task to answer all questions, and to repair the system. */
import { defineTask } from './define-task.ts'
import { analysis } from './questions/analysis.ts'
import { detection } from './questions/detection.ts'
import { localisation } from './questions/localisation.ts'

export const endToEnd = defineTask({
  name: 'end-to-end',
  about: 'Answer all questions, then repair the system.',
  goal: 'Determine whether a fault is present, which services are at fault, and the layer and the type of the cause. If a fault is present, repair the system.',
  repairs: true,
  questions: [detection, localisation, analysis],
  budget: { steps: 60, seconds: 1800 },
  reports: ['none', 'symptoms'],
})
