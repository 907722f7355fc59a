/** Playbooks: read, vetted, run as Ansible runs them, and taken back. */
export * from './create-playbook-runner.ts'
export * from './find-ansible.ts'
export { rollBack } from './roll-back.ts'
export { runPlaybook } from './run-playbook.ts'
export { type Snapshot, snapshotObjects } from './snapshot-objects.ts'
