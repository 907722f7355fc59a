/** A command that is not modelled exactly. It ends the attempt instead of a guess. */

export class UnsupportedCommand extends Error {
  /** `reason` names the program, option or construct. */
  constructor(reason: string) {
    super(reason)
    this.name = 'UnsupportedCommand'
  }
}
