/** Runs playbooks in process, without Ansible: what the interpreter does not know ends as unsupported. */
export { interpretPlaybook } from './interpret-playbook.ts'
export type {
  CommandOutcome,
  CommandRequest,
  Commands,
  InterpretedReport,
  InterpreterAttempt,
  InterpreterOptions,
  TemplateErrorKind,
  Templates,
  Variables,
} from './ports.ts'
export { UnsupportedPlaybook } from './unsupported-playbook.ts'
