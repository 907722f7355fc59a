/**
 * The line format of the container runtime interface:
 * `2026-11-15T06:00:00.123000007Z stdout F text`, with P instead of F for a partial line.
 */

export const STAMP_BYTES = 30
/** The prefix of the text has a fixed length, because both stream names have six characters. */
export const HEADER_BYTES = STAMP_BYTES + ' stdout F '.length
/** The offset of `F` or `P`. */
export const TAG_OFFSET = HEADER_BYTES - 2
/** Longer lines are split into partial lines of this length. */
export const MAX_TEXT_BYTES = 16 * 1024

export const NEWLINE = 0x0a
export const RETURN = 0x0d
export const PARTIAL = 'P'.charCodeAt(0)

/** Clocks have millisecond precision; the lower digits count lines. */
export const toStamp = (milliseconds: number, count = 0): string =>
  `${new Date(milliseconds).toISOString().slice(0, 23)}${String(count).padStart(6, '0')}Z`
