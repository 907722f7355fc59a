/** Turns lines of a log file into what somebody asked to see of them. */
import type { LogOptions } from '../../../ports/index.ts'
import { HEADER_BYTES, NEWLINE, PARTIAL, STAMP_BYTES, TAG_AT, toStamp } from './log-line.ts'

export interface LineSelection {
  /** Of whole lines; the result is a copy. */
  choose(lines: Buffer): Buffer
  /** As many bytes were chosen as may be. */
  isFull(): boolean
}

export const createLineSelection = ({ timestamps, sinceTime, limitBytes }: LogOptions): LineSelection => {
  const since = sinceTime === undefined ? undefined : Buffer.from(toStamp(sinceTime))
  let bytesLeft = limitBytes ?? Number.POSITIVE_INFINITY
  let begun = since === undefined
  // A stamp stands at the beginning of lines only, not of their pieces.
  let atLineStart = true

  return {
    choose(lines) {
      const output = Buffer.allocUnsafe(lines.length)
      let used = 0
      for (let start = 0; start < lines.length; ) {
        const end = lines.indexOf(NEWLINE, start)
        begun ||= lines.compare(since!, 0, STAMP_BYTES, start, start + STAMP_BYTES) >= 0
        if (begun) {
          const partial = lines[start + TAG_AT] === PARTIAL
          if (timestamps && atLineStart) used += lines.copy(output, used, start, start + STAMP_BYTES + 1)
          used += lines.copy(output, used, start + HEADER_BYTES, partial ? end : end + 1)
          atLineStart = !partial
        }
        start = end + 1
      }
      const taken = output.subarray(0, Math.min(used, bytesLeft))
      bytesLeft -= taken.length
      return taken
    },
    isFull: () => bytesLeft <= 0,
  }
}
