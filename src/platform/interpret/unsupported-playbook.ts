/** Thrown if the interpreter cannot run a playbook as Ansible would. The attempt counts neither as a success nor as a failure. */

export class UnsupportedPlaybook extends Error {
  /** `reason` names the module, option or construct that is not supported. */
  constructor(reason: string) {
    super(reason)
    this.name = 'UnsupportedPlaybook'
  }
}
