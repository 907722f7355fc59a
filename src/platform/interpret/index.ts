/** Runs playbooks in process, without Ansible: a construct that is not supported ends the attempt as unsupported. */
export { interpretPlaybook } from './interpret-playbook.ts'
export type { InterpretedReport } from './ports.ts'
