/** The task to repair the system with a playbook, as in MicroRemed. */
import { defineTask } from './define-task.ts'

export const remediation = defineTask({
  name: 'remediation',
  about: 'Repair the system with a playbook, from a diagnosis report.',
  goal: 'Repair the system with an Ansible playbook.',
  repairs: true,
  questions: [],
  budget: { steps: 20, seconds: 900 },
  reports: ['label', 'symptoms', 'none'],
})
