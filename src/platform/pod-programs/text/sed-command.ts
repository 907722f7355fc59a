/** A command of sed. */

/** A line that sed edits. */
export interface SedLine {
  text: string
  readonly number: number
  readonly isLast: boolean
}

export type SedAddress = (line: SedLine) => boolean

export interface SedCommand {
  readonly from: SedAddress | undefined
  readonly to: SedAddress | undefined
  readonly name: string
  /** Changes the line. Returns whether it did. */
  readonly substitute?: (line: SedLine) => boolean
  readonly prints?: boolean
  isInRange: boolean
}
