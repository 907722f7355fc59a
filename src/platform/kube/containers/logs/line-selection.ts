/** Selects and formats log lines according to the client's options. */
import type { LogOptions } from '#platform/kube/ports'
import { HEADER_BYTES, NEWLINE, PARTIAL, STAMP_BYTES, TAG_OFFSET, toStamp } from './log-line.ts'

export interface LineSelection {
  /** `lines` holds complete lines; the result is a copy. */
  select(lines: Buffer): Buffer
  /** Whether limitBytes is reached. */
  isFull(): boolean
}

export const createLineSelection = ({ timestamps, sinceTime, limitBytes }: LogOptions): LineSelection => {
  const since = sinceTime === undefined ? undefined : Buffer.from(toStamp(sinceTime))
  let bytesLeft = limitBytes ?? Number.POSITIVE_INFINITY
  let hasReachedSince = since === undefined
  // Time stamps are written at the start of lines, not of their partial pieces.
  let atLineStart = true

  return {
    select(lines) {
      const output = Buffer.allocUnsafe(lines.length)
      let used = 0
      for (let start = 0; start < lines.length; ) {
        const end = lines.indexOf(NEWLINE, start)
        hasReachedSince ||= lines.compare(since!, 0, STAMP_BYTES, start, start + STAMP_BYTES) >= 0
        if (hasReachedSince) {
          const partial = lines[start + TAG_OFFSET] === PARTIAL
          if (timestamps && atLineStart) used += lines.copy(output, used, start, start + STAMP_BYTES + 1)
          used += lines.copy(output, used, start + HEADER_BYTES, partial ? end : end + 1)
          atLineStart = !partial
        }
        start = end + 1
      }
      const selected = output.subarray(0, Math.min(used, bytesLeft))
      bytesLeft -= selected.length
      return selected
    },
    isFull: () => bytesLeft <= 0,
  }
}
