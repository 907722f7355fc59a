/** Playbooks: run as Ansible runs them. */
export * from './find-ansible.ts'
export { type PlaybookOptions, type PlaybookOutcome, runPlaybook } from './run-playbook.ts'
