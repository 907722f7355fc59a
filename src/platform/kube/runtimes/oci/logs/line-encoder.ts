/** Encodes the output of a container as lines of a log file. */
import {
  HEADER_BYTES,
  MAX_TEXT_BYTES,
  NEWLINE,
  RETURN,
  STAMP_BYTES,
  toStamp,
} from '#platform/kube/containers'
import type { OutputStream } from '../containers/container-instance.ts'

export interface LineEncoder {
  /** Returns the complete lines, valid until the next call of any encoder; an incomplete line is buffered. */
  encode(stream: OutputStream, chunk: Uint8Array): Buffer
  /** Returns the buffered incomplete lines as partial lines. */
  flush(): Buffer
}

const MAX_LINES_PER_MILLISECOND = 999_999

/** Shared and reused by all encoders to reduce garbage. */
let scratch = Buffer.alloc(0)
const scratchOf = (bytes: number): Buffer => {
  if (scratch.length < bytes) scratch = Buffer.allocUnsafeSlow(bytes)
  return scratch
}

/** Up to this length, a loop is faster than a native method of Buffer. */
const SHORT_BYTES = 64

const copy = (from: Buffer, start: number, end: number, to: Buffer, at: number): number => {
  if (end - start > SHORT_BYTES) return from.copy(to, at, start, end)
  for (let index = start; index < end; index += 1) to[at + index - start] = from[index]!
  return end - start
}

const countLines = (bytes: Buffer): number => {
  let lines = 0
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === NEWLINE) lines += 1
  return lines
}

const findNewline = (bytes: Buffer, start: number): number => {
  const limit = Math.min(bytes.length, start + SHORT_BYTES)
  for (let at = start; at < limit; at += 1) if (bytes[at] === NEWLINE) return at
  return bytes.indexOf(NEWLINE, limit)
}

export const createLineEncoder = (now: () => number): LineEncoder => {
  const incomplete: Record<OutputStream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }
  let lastMs = 0
  let count = 0

  /** Writes the line count into the last digits of the header's time stamp. */
  const stampCount = (header: Buffer): void => {
    let rest = Math.min(count, MAX_LINES_PER_MILLISECOND)
    count += 1
    for (let at = STAMP_BYTES - 2; at > STAMP_BYTES - 8; at -= 1) {
      header[at] = 0x30 + (rest % 10)
      rest = (rest / 10) | 0
    }
  }

  const headersFor = (stream: OutputStream): { full: Buffer; partial: Buffer } => {
    const at = Math.max(lastMs, now())
    if (at > lastMs) count = 0
    lastMs = at
    const stamp = toStamp(at)
    return { full: Buffer.from(`${stamp} ${stream} F `), partial: Buffer.from(`${stamp} ${stream} P `) }
  }

  return {
    encode(stream, chunk) {
      const bytes =
        incomplete[stream].length === 0
          ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
          : Buffer.concat([incomplete[stream], chunk])
      const { full, partial } = headersFor(stream)
      const maxLines = countLines(bytes) + Math.ceil(bytes.length / MAX_TEXT_BYTES)
      const output = scratchOf(bytes.length + maxLines * (HEADER_BYTES + 1))
      let used = 0
      const writeLine = (header: Buffer, from: number, to: number): void => {
        stampCount(header)
        used += copy(header, 0, HEADER_BYTES, output, used)
        used += copy(bytes, from, to, output, used)
        output[used] = NEWLINE
        used += 1
      }
      let start = 0
      while (start < bytes.length) {
        const end = findNewline(bytes, start)
        const whole = end >= 0 && end - start <= MAX_TEXT_BYTES
        if (!whole && bytes.length - start <= MAX_TEXT_BYTES) break
        // Terminals end lines with CR LF; containerd drops the CR.
        if (whole) writeLine(full, start, end > start && bytes[end - 1] === RETURN ? end - 1 : end)
        else writeLine(partial, start, start + MAX_TEXT_BYTES)
        start = whole ? end + 1 : start + MAX_TEXT_BYTES
      }
      // Copied, because the chunk belongs to the caller.
      incomplete[stream] = Buffer.from(bytes.subarray(start))
      return output.subarray(0, used)
    },
    flush: () =>
      Buffer.concat(
        (['stdout', 'stderr'] as const).flatMap((stream) => {
          const rest = incomplete[stream]
          if (rest.length === 0) return []
          incomplete[stream] = Buffer.alloc(0)
          const { partial } = headersFor(stream)
          stampCount(partial)
          return [partial, rest, Buffer.of(NEWLINE)]
        }),
      ),
  }
}
