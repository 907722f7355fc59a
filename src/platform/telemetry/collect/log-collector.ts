/** Collects the log lines of every container of a system. */
import { createBoundedLines } from './bounded-lines.ts'
import type { CollectedLine } from './collected-sink.ts'
import type { PodState } from './pod-index.ts'

/** Per container. A container that logs more is in a loop, and must not displace the logs of others. */
const MAX_LINES_PER_SECOND = 2000
/** Length of a timestamp up to the second. */
const SECOND_LENGTH = '2026-11-15T09:00:00'.length
/** Longer lines are truncated. */
const MAX_LINE_BYTES = 16 * 1024
/** `2026-11-15T09:00:00.123456789Z `: the digits after the milliseconds distinguish lines of the same millisecond. */
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) ?/

export interface LogCallbacks {
  /** Each line begins with an RFC 3339 time. Lines that are passed again are ignored. */
  onChunk(chunk: Buffer): void
  /** Receives a single line with its time in milliseconds since the epoch, instead of a chunk. */
  onLine(time: number, text: string): void
  onEnd(): void
}

/**
 * Follows the log of the latest run of a container from its first line. Returns a function that stops following. Callbacks are never
 * called synchronously.
 */
export type FollowLogs = (pod: PodState, container: string, callbacks: LogCallbacks) => () => void

export interface LogCollector {
  /** Follows those containers of a new or changed pod that are not followed yet. */
  update(pod: PodState): void
  /** Drops the state of a deleted pod. */
  remove(pod: PodState): void
  /** Number of lines dropped above the rate limits of containers. */
  dropped(): number
  close(): void
}

interface LogProgress {
  /** The run of the container that is followed. */
  containerId: string
  /** The timestamp of the last line, to detect repeated lines. */
  lastStamp: string
  /** The second of the last line, and the number of lines in it. */
  second: string | number
  lines: number
}

export const createLogCollector = (
  follow: FollowLogs,
  onLines: (lines: readonly CollectedLine[]) => void,
): LogCollector => {
  /** By pod and container. */
  const progressByContainer = new Map<string, LogProgress>()
  const stops = new Set<() => void>()
  let dropped = 0

  /** Counts a line in its second. Returns false if the container exceeds its rate limit. */
  const countLine = (progress: LogProgress, second: string | number): boolean => {
    progress.lines = second === progress.second ? progress.lines + 1 : 1
    progress.second = second
    if (progress.lines <= MAX_LINES_PER_SECOND) return true
    dropped += 1
    return false
  }

  const toLine = (line: string, pod: PodState, container: string): CollectedLine | undefined => {
    const stamp = STAMP.exec(line)
    const progress = progressByContainer.get(`${pod.uid}/${container}`)
    if (stamp === null || progress === undefined || stamp[1]! <= progress.lastStamp) return undefined
    progress.lastStamp = stamp[1]!
    if (!countLine(progress, stamp[1]!.slice(0, SECOND_LENGTH))) return undefined
    return { time: Date.parse(stamp[1]!), pod, container, text: line.slice(stamp[0].length) }
  }

  const startFollowing = (pod: PodState, container: string): void => {
    const key = `${pod.uid}/${container}`
    let lines: CollectedLine[] = []
    const addLine = (text: string): void => {
      const line = toLine(text, pod, container)
      if (line !== undefined) lines.push(line)
    }
    const addChunk = createBoundedLines(MAX_LINE_BYTES, { onLine: addLine, onTooLong: addLine })
    const stop = follow(pod, container, {
      onChunk(chunk) {
        addChunk(chunk)
        if (lines.length === 0) return
        onLines(lines)
        lines = []
      },
      onLine(time, text) {
        const progress = progressByContainer.get(key)
        if (progress === undefined || !countLine(progress, Math.floor(time / 1000))) return
        const limited = text.length > MAX_LINE_BYTES ? text.slice(0, MAX_LINE_BYTES) : text
        onLines([{ time, pod, container, text: limited }])
      },
      onEnd: () => stops.delete(stop),
    })
    stops.add(stop)
  }

  return {
    update(pod) {
      for (const { name, containerId } of pod.containers) {
        const key = `${pod.uid}/${name}`
        const before = progressByContainer.get(key)
        if (containerId === undefined || before?.containerId === containerId) continue
        progressByContainer.set(key, { second: '', lines: 0, lastStamp: '', ...before, containerId })
        // Includes terminated containers: their last lines often matter most.
        startFollowing(pod, name)
      }
    },
    remove({ uid, containers }) {
      for (const { name } of containers) progressByContainer.delete(`${uid}/${name}`)
    },
    dropped: () => dropped,
    close() {
      for (const stop of stops) stop()
      stops.clear()
      progressByContainer.clear()
    },
  }
}
