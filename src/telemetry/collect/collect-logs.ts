/** Follows what every container of a system prints. */
import type { LogLine } from '../../spec/index.ts'
import { createBoundedLines } from './bounded-lines.ts'
import { parseSeverity } from './parse-severity.ts'
import type { PodState } from './pod-index.ts'

/** Of one container: who prints more is in a loop, and must not keep the others from being heard. */
const MOST_LINES_A_SECOND = 2000
/** As far as the second. */
const SECOND = '2026-11-15T09:00:00'.length
/** Bytes; of longer ones the beginning is kept. */
const LONGEST_LINE = 16 * 1024
/** `2026-11-15T09:00:00.123456789Z `: digits after the milliseconds tell lines of the same moment apart. */
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) ?/

/**
 * The output of the latest run of a container from its first line on, each with an RFC 3339 time before it, until it
 * ends. The result ends it sooner. Nothing is told inside the call.
 */
export type FollowLogs = (
  pod: PodState,
  container: string,
  take: { onChunk(chunk: Buffer): void; onEnd(): void },
) => () => void

export interface LogCollector {
  /** Follows those containers of the pod that are not followed yet. */
  notice(pod: PodState): void
  /** The pod has gone. */
  forget(pod: PodState): void
  /** Lines that were more than one container may print in a second. */
  dropped(): number
  close(): void
}

export const createLogCollector = (
  follow: FollowLogs,
  onLines: (lines: readonly LogLine[]) => void,
): LogCollector => {
  /** By container of a pod: which run is followed, and the stamp of the last line, by which one read again is known. */
  const known = new Map<string, { containerId: string; last: string; second: string; lines: number }>()
  const following = new Set<() => void>()
  let dropped = 0

  /** Whether the container has not printed too much in the second of its clock. */
  const isHeard = (progress: { second: string; lines: number }, stamp: string): boolean => {
    const second = stamp.slice(0, SECOND)
    progress.lines = second === progress.second ? progress.lines + 1 : 1
    progress.second = second
    if (progress.lines <= MOST_LINES_A_SECOND) return true
    dropped += 1
    return false
  }

  const toLine = (line: string, pod: PodState, container: string): LogLine | undefined => {
    const stamp = STAMP.exec(line)
    const progress = known.get(`${pod.uid}/${container}`)
    if (stamp === null || progress === undefined || stamp[1]! <= progress.last) return undefined
    progress.last = stamp[1]!
    if (!isHeard(progress, stamp[1]!)) return undefined
    const text = line.slice(stamp[0].length)
    const { namespace, service, name } = pod
    const severity = parseSeverity(text)
    return { time: Date.parse(stamp[1]!), namespace, service, pod: name, container, severity, text }
  }

  const begin = (pod: PodState, container: string): void => {
    let lines: LogLine[] = []
    const take = (text: string): void => {
      const line = toLine(text, pod, container)
      if (line !== undefined) lines.push(line)
    }
    const cut = createBoundedLines(LONGEST_LINE, { onLine: take, onTooLong: take })
    const end = follow(pod, container, {
      onChunk(chunk) {
        cut(chunk)
        if (lines.length === 0) return
        onLines(lines)
        lines = []
      },
      onEnd: () => following.delete(end),
    })
    following.add(end)
  }

  return {
    notice(pod) {
      for (const { name, containerId } of pod.containers) {
        const key = `${pod.uid}/${name}`
        const before = known.get(key)
        if (containerId === undefined || before?.containerId === containerId) continue
        known.set(key, { second: '', lines: 0, last: '', ...before, containerId })
        // Also one that has ended already: what it said last matters most.
        begin(pod, name)
      }
    },
    forget({ uid, containers }) {
      for (const { name } of containers) known.delete(`${uid}/${name}`)
    },
    dropped: () => dropped,
    close() {
      for (const end of following) end()
      following.clear()
      known.clear()
    },
  }
}
