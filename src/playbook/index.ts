/** Playbooks: run as Ansible runs them. */
export * from './find-ansible.ts'
export { runPlaybook } from './run-playbook.ts'
