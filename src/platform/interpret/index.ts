/** Runs playbooks in process, without Ansible: a construct that is not supported ends the attempt as unsupported. */
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
