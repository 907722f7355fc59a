/** Playbooks: read, vetted, run as Ansible runs them, and taken back. */
export * from './create-playbook-runner.ts'
export * from './find-ansible.ts'
export { rememberSystem } from './remember-system.ts'
export { runPlaybook } from './run-playbook.ts'
