/** A playbook that the interpreter cannot run as Ansible would. The attempt ends, and never counts as a success or a failure. */

export class UnsupportedPlaybook extends Error {
  /** `reason` names the module, option or construct that is not supported. */
  constructor(reason: string) {
    super(reason)
    this.name = 'UnsupportedPlaybook'
  }
}
