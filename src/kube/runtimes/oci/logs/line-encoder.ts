/** Cuts what a container writes into the lines of a log file. */
import type { OutputStream } from '../container-instance.ts'
import { HEADER_BYTES, LONGEST_TEXT, NEWLINE, RETURN, STAMP_BYTES, toStamp } from './log-line.ts'

export interface LineEncoder {
  /** The lines that are whole now, valid until the next call of any encoder; the rest waits for its end. */
  encode(stream: OutputStream, chunk: Uint8Array): Buffer
  /** What still waits, as pieces of lines that did not end. */
  flush(): Buffer
}

const MOST_PER_MILLISECOND = 999_999

/** One for all, used again and again: containers that write much would else make much garbage. */
let scratch = Buffer.alloc(0)
const scratchOf = (bytes: number): Buffer => {
  if (scratch.length < bytes) scratch = Buffer.allocUnsafeSlow(bytes)
  return scratch
}

/** A call into the native code of buffers costs as much as some fifty bytes copied here. */
const SHORT = 64

const copy = (from: Buffer, start: number, end: number, to: Buffer, at: number): number => {
  if (end - start > SHORT) return from.copy(to, at, start, end)
  for (let index = start; index < end; index += 1) to[at + index - start] = from[index]!
  return end - start
}

const countLines = (bytes: Buffer): number => {
  let lines = 0
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === NEWLINE) lines += 1
  return lines
}

const findNewline = (bytes: Buffer, start: number): number => {
  const near = Math.min(bytes.length, start + SHORT)
  for (let at = start; at < near; at += 1) if (bytes[at] === NEWLINE) return at
  return bytes.indexOf(NEWLINE, near)
}

export const createLineEncoder = (now: () => number): LineEncoder => {
  const waiting: Record<OutputStream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }
  let lastMs = 0
  let count = 0

  /** Writes the digits of the count over those of the header's stamp. */
  const number = (header: Buffer): void => {
    let rest = Math.min(count, MOST_PER_MILLISECOND)
    count += 1
    for (let at = STAMP_BYTES - 2; at > STAMP_BYTES - 8; at -= 1) {
      header[at] = 0x30 + (rest % 10)
      rest = (rest / 10) | 0
    }
  }

  const headers = (stream: OutputStream): { full: Buffer; partial: Buffer } => {
    const at = Math.max(lastMs, now())
    if (at > lastMs) count = 0
    lastMs = at
    const stamp = toStamp(at)
    return { full: Buffer.from(`${stamp} ${stream} F `), partial: Buffer.from(`${stamp} ${stream} P `) }
  }

  return {
    encode(stream, chunk) {
      const bytes =
        waiting[stream].length === 0
          ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
          : Buffer.concat([waiting[stream], chunk])
      const { full, partial } = headers(stream)
      const most = countLines(bytes) + Math.ceil(bytes.length / LONGEST_TEXT)
      const output = scratchOf(bytes.length + most * (HEADER_BYTES + 1))
      let used = 0
      const put = (header: Buffer, from: number, to: number): void => {
        number(header)
        used += copy(header, 0, HEADER_BYTES, output, used)
        used += copy(bytes, from, to, output, used)
        output[used] = NEWLINE
        used += 1
      }
      let start = 0
      while (start < bytes.length) {
        const end = findNewline(bytes, start)
        const whole = end >= 0 && end - start <= LONGEST_TEXT
        if (!whole && bytes.length - start <= LONGEST_TEXT) break
        // Terminals end lines with both, of which containerd keeps one.
        if (whole) put(full, start, end > start && bytes[end - 1] === RETURN ? end - 1 : end)
        else put(partial, start, start + LONGEST_TEXT)
        start = whole ? end + 1 : start + LONGEST_TEXT
      }
      // A copy: the chunk belongs to whoever gave it.
      waiting[stream] = Buffer.from(bytes.subarray(start))
      return output.subarray(0, used)
    },
    flush: () =>
      Buffer.concat(
        (['stdout', 'stderr'] as const).flatMap((stream) => {
          const rest = waiting[stream]
          if (rest.length === 0) return []
          waiting[stream] = Buffer.alloc(0)
          const { partial } = headers(stream)
          number(partial)
          return [partial, rest, Buffer.of(NEWLINE)]
        }),
      ),
  }
}
