/** Thrown for a command that is not modelled exactly. It ends the attempt, because a guess could bias the result. */

export class UnsupportedCommand extends Error {
  /** `reason` names the program, option or construct. */
  constructor(reason: string) {
    super(reason)
    this.name = 'UnsupportedCommand'
  }
}
