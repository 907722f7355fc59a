/** The log of one run of a simulated container. */
import type { Clock } from '#kit'
import { HEADER_BYTES, MAX_TEXT_BYTES } from '#platform/kube/simulated'
import type { SimLogLine } from '../sim-pods.ts'

/** The defaults of the kubelet: the size at which a file is rotated, and the number of files. */
const FILE_BYTES = 10 * 2 ** 20
const MAX_FILES = 5

/** A line with the additions of the log format. */
export interface LogEntry extends SimLogLine {
  /** Counts the lines of one millisecond. */
  readonly count: number
}

interface LogFile {
  /** The number of the first entry since the start of the log. */
  readonly first: number
  readonly entries: LogEntry[]
  bytes: number
}

export interface ProgramLog {
  write(stream: SimLogLine['stream'], text: string): void
  /** Adds incomplete lines, and ends all followers. */
  end(): void
  readonly hasEnded: boolean
  /** The number of the oldest entry that is kept, and of the next one. */
  range(): { readonly from: number; readonly to: number }
  /** The kept entries from `from` up to but not including `to`. */
  entries(from: number, to: number): readonly LogEntry[]
  /** Calls the listener for each new line, and with undefined at the end. */
  onLine(listener: (line: SimLogLine | undefined) => void): () => void
  sizeBytes(): number
}

/** Splits a text that is too long for one line, at a character. */
const splitAt = (text: string): number => {
  let [end, bytes] = [0, 0]
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > MAX_TEXT_BYTES) return end
    end += character.length
  }
  return end
}

/** No text of this length exceeds the limit of a line. */
const SHORT_CHARACTERS = MAX_TEXT_BYTES / 3

const isTooLong = (text: string): boolean =>
  text.length > SHORT_CHARACTERS && Buffer.byteLength(text) > MAX_TEXT_BYTES

/** Rotated files of entries. */
const createLogStore = () => {
  const files: LogFile[] = [{ first: 0, entries: [], bytes: 0 }]
  const last = (): LogFile => files.at(-1)!
  const nextNumber = (): number => last().first + last().entries.length
  return {
    add(entry: LogEntry): void {
      if (last().bytes >= FILE_BYTES) {
        files.push({ first: nextNumber(), entries: [], bytes: 0 })
        if (files.length > MAX_FILES) files.shift()
      }
      last().entries.push(entry)
      last().bytes += HEADER_BYTES + Buffer.byteLength(entry.text) + 1
    },
    range: () => ({ from: files[0]!.first, to: nextNumber() }),
    entries: (from: number, to: number): readonly LogEntry[] =>
      files.flatMap(({ first, entries }) =>
        first + entries.length <= from || first >= to
          ? []
          : entries.slice(Math.max(0, from - first), Math.max(0, to - first)),
      ),
    sizeBytes: () => files.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

export const createProgramLog = (clock: Clock): ProgramLog => {
  const store = createLogStore()
  const listeners = new Set<(line: SimLogLine | undefined) => void>()
  const incomplete = { stdout: '', stderr: '' }
  let hasEnded = false
  let lastAt = 0
  let count = 0

  const add = (stream: SimLogLine['stream'], text: string, isPartial: boolean): void => {
    // Time stamps have milliseconds; the digits after them count lines.
    const now = Math.max(lastAt, Math.floor(clock.now()))
    if (now > lastAt) count = 0
    lastAt = now
    const entry = { at: now, count, stream, text, isPartial }
    count += 1
    store.add(entry)
    for (const listener of listeners) listener(entry)
  }
  /** Returns the rest, which fits into one line. */
  const addPieces = (stream: SimLogLine['stream'], text: string): string => {
    let rest = text
    while (isTooLong(rest)) {
      const end = splitAt(rest)
      add(stream, rest.slice(0, end), true)
      rest = rest.slice(end)
    }
    return rest
  }

  return {
    write(stream, text) {
      if (hasEnded) return
      let rest = incomplete[stream] + text
      for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
        const line = addPieces(stream, rest.slice(0, end))
        // Terminals end lines with CR LF; containerd drops the CR.
        add(stream, line.endsWith('\r') ? line.slice(0, -1) : line, false)
        rest = rest.slice(end + 1)
      }
      incomplete[stream] = addPieces(stream, rest)
    },
    end() {
      if (hasEnded) return
      for (const stream of ['stdout', 'stderr'] as const)
        if (incomplete[stream] !== '') add(stream, incomplete[stream], true)
      hasEnded = true
      for (const listener of [...listeners]) listener(undefined)
      listeners.clear()
    },
    get hasEnded() {
      return hasEnded
    },
    range: store.range,
    entries: store.entries,
    onLine(listener) {
      if (!hasEnded) listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    sizeBytes: store.sizeBytes,
  }
}
