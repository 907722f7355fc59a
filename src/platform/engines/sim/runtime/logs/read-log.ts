/** Reads the log of a simulated container with all options of `kubectl logs`. */
import { Readable } from 'node:stream'
import type { Clock } from '#kit'
import { createLineSelection, type LogOptions, toStamp } from '#platform/kube/simulated'
import type { LogEntry, ProgramLog } from './program-log.ts'

/** The format of the log files of a kubelet. */
const encode = (entries: readonly LogEntry[]): Buffer =>
  Buffer.from(
    entries
      .map(
        ({ at, count, stream, isPartial, text }) =>
          `${toStamp(at, count)} ${stream} ${isPartial ? 'P' : 'F'} ${text}\n`,
      )
      .join(''),
  )

export const readLog = (log: ProgramLog, options: LogOptions, clock: Clock): Readable => {
  const { from, to } = log.range()
  const selection = createLineSelection(options)
  let next = options.tailLines === undefined ? from : Math.max(from, to - options.tailLines)
  let stopFollowing = (): void => {}
  let isScheduled = false
  let isEnded = false

  const stream = new Readable({
    read() {},
    destroy(error, done) {
      isEnded = true
      stopFollowing()
      done(error)
    },
  })
  const end = (): void => {
    if (isEnded) return
    isEnded = true
    stopFollowing()
    stream.push(null)
  }
  const pushUpTo = (until: number): void => {
    const selected = selection.select(encode(log.entries(next, until)))
    next = until
    if (selected.length > 0) stream.push(selected)
    if (selection.isFull()) end()
  }
  const continueReading = (): void => {
    isScheduled = false
    if (isEnded) return
    pushUpTo(log.range().to)
    if (log.hasEnded) end()
  }

  pushUpTo(to)
  if (!options.follow || log.hasEnded) end()
  else
    stopFollowing = log.onLine(() => {
      // Lines that are written in one task are read together.
      if (isScheduled) return
      isScheduled = true
      clock.defer(continueReading)
    })
  return stream
}

/** The end of the log within the limits. */
export const logTail = (log: ProgramLog, { bytes, lines }: { bytes: number; lines: number }): string => {
  const { from, to } = log.range()
  const selection = createLineSelection({ previous: false, follow: false, timestamps: false })
  const text = selection.select(encode(log.entries(Math.max(from, to - lines), to)))
  return text.subarray(Math.max(0, text.length - bytes)).toString('utf8')
}
