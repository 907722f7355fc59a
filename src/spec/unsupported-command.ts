/** A command that a simulated cluster does not model exactly. It ends the attempt of an agent, because a guess could be a wrong result. */

export class UnsupportedCommand extends Error {
  /** `reason` names the program, option or construct. */
  constructor(reason: string) {
    super(reason)
    this.name = 'UnsupportedCommand'
  }
}
