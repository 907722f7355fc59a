/**
 * A line of a log file in the form of the container runtime interface:
 * `2026-11-15T06:00:00.123000007Z stdout F text`, where P stands for a piece of a line that goes on.
 */

export const STAMP_BYTES = 30
/** What stands before the text: both streams have names of six letters, so it has always the same length. */
export const HEADER_BYTES = STAMP_BYTES + ' stdout F '.length
/** The place of `F` or `P`. */
export const TAG_AT = HEADER_BYTES - 2
/** Longer lines are written in pieces of this. */
export const LONGEST_TEXT = 16 * 1024

export const NEWLINE = 0x0a
export const RETURN = 0x0d
export const PARTIAL = 'P'.charCodeAt(0)

/** To the millisecond, which is all that clocks give: the digits after it count lines. */
export const toStamp = (milliseconds: number, count = 0): string =>
  `${new Date(milliseconds).toISOString().slice(0, 23)}${String(count).padStart(6, '0')}Z`
