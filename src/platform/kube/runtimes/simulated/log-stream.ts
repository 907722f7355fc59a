/** Streams the log of a simulated container with all options of `kubectl logs`. */
import { Readable } from 'node:stream'
import type { Clock, Timer } from '#kit'
import type { LogOptions } from '#platform/kube/ports'
import type { LogLine } from './container-model.ts'

/** How often a follower polls for new lines. */
const FOLLOW_POLL_MS = 250

export interface LogSource {
  startedAt: number
  /** Undefined while the container runs. */
  endedAt(): number | undefined
  lines(fromMs: number, toMs: number): readonly LogLine[]
}

/** Formats a time such as `2026-11-15T01:40:47.869000000Z`. */
const nanoTime = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 23)}000000Z`

export const createLogStream = (source: LogSource, options: LogOptions, clock: Clock): Readable => {
  const { startedAt } = source
  const { timestamps, follow, tailLines, sinceTime } = options
  let bytesLeft = options.limitBytes ?? Number.POSITIVE_INFINITY
  let readUntil = 0
  let timer: Timer | undefined

  const stream = new Readable({
    read() {},
    destroy(error, done) {
      timer?.cancel()
      done(error)
    },
  })

  const push = (lines: readonly LogLine[]): void => {
    for (const { atMs, text } of lines) {
      if (bytesLeft <= 0) return
      const line = Buffer.from(`${timestamps ? `${nanoTime(startedAt + atMs)} ` : ''}${text}\n`)
      stream.push(line.byteLength > bytesLeft ? line.subarray(0, bytesLeft) : line)
      bytesLeft -= line.byteLength
    }
  }

  const newLines = (): readonly LogLine[] => {
    const until = (source.endedAt() ?? clock.now()) - startedAt + 1
    const lines = source.lines(readUntil, until)
    readUntil = Math.max(readUntil, until)
    return lines
  }

  const continueOrEnd = (): void => {
    if (!follow || bytesLeft <= 0 || source.endedAt() !== undefined) {
      stream.push(null)
      return
    }
    timer = clock.after(FOLLOW_POLL_MS, () => {
      push(newLines())
      continueOrEnd()
    })
  }

  const selected = newLines().filter(({ atMs }) => sinceTime === undefined || startedAt + atMs >= sinceTime)
  push(tailLines === undefined ? selected : tailLines === 0 ? [] : selected.slice(-tailLines))
  continueOrEnd()
  return stream
}
