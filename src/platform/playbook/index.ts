/** Parses, vets and runs playbooks, and rolls them back. */
export { usesFacts } from './ansible-environment.ts'
export * from './create-playbook-runner.ts'
export * from './find-ansible.ts'
export type { PlaybookReport } from './playbook-report.ts'
export { runPlaybook } from './run-playbook.ts'
export { snapshotSystem } from './snapshot-system.ts'
export type { TaskResult } from './task-reporter.ts'
export { createTaskResults } from './task-results.ts'
