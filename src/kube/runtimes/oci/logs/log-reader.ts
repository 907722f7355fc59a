/** Reads a log as a stream, in blocks and only as fast as somebody takes them. */
import { closeSync, openSync, readSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Clock } from '../../../../kit/index.ts'
import type { LogOptions } from '../../../ports/index.ts'
import { findTail, type LogPosition } from './find-tail.ts'
import { createLineSelection } from './line-selection.ts'
import type { LogFile } from './log-files.ts'
import { HEADER_BYTES, LONGEST_TEXT, NEWLINE } from './log-line.ts'

/** Holds the longest line, whatever comes. */
const BLOCK_BYTES = 4 * (HEADER_BYTES + LONGEST_TEXT)
/** After so many blocks of which nothing was wanted, others get their turn. */
const BLOCKS_IN_A_ROW = 16

export interface LogSource {
  files(): readonly LogFile[]
  /** Nothing more comes. */
  hasEnded(): boolean
  /** Calls back once, when there is more to read or the log has ended; the result gives that up. */
  onChange(listener: () => void): () => void
}

/** A place in the files that goes forward, also when files before it have gone. */
const createCursor = (source: LogSource, { number, offset }: LogPosition) => {
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  let file = { number, offset, fd: undefined as number | undefined }

  const close = (): void => {
    if (file.fd !== undefined) closeSync(file.fd)
    file = { ...file, fd: undefined }
  }

  /** False at the end of all files. */
  const goOn = (): boolean => {
    const next = source.files().find((candidate) => candidate.number > file.number)
    if (next === undefined) return false
    close()
    file = { number: next.number, offset: 0, fd: openSync(next.path, 'r') }
    return true
  }

  const open = (): boolean => {
    if (file.fd !== undefined) return true
    const known = source.files().find((candidate) => candidate.number === file.number)
    if (known === undefined) return goOn()
    file = { ...file, fd: openSync(known.path, 'r') }
    return true
  }

  return {
    /** Whole lines, valid until the next call; nothing where there are no more for now. */
    next(until: LogPosition | undefined): Buffer | undefined {
      while (open()) {
        const last = until?.number === file.number ? until.offset : Number.POSITIVE_INFINITY
        const wanted = Math.max(0, Math.min(BLOCK_BYTES, last - file.offset))
        const filled = block.subarray(0, readSync(file.fd!, block, 0, wanted, file.offset))
        const end = filled.lastIndexOf(NEWLINE) + 1
        file.offset += end
        if (end > 0) return filled.subarray(0, end)
        if (until !== undefined && file.number >= until.number) return undefined
        if (!goOn()) return undefined
      }
      return undefined
    },
    close,
  }
}

const startOf = (files: readonly LogFile[], tailLines: number | undefined): LogPosition =>
  tailLines === undefined ? { number: files[0]!.number, offset: 0 } : findTail(files, tailLines)

export const createLogReader = (source: LogSource, options: LogOptions, clock: Clock): Readable => {
  const files = source.files()
  const newest = files.at(-1)!
  const until = options.follow ? undefined : { number: newest.number, offset: newest.bytes }
  const cursor = createCursor(source, startOf(files, options.tailLines))
  const selection = createLineSelection(options)
  let stopWaiting: (() => void) | undefined
  let closed = false

  const end = (): void => {
    stream.push(null)
    cursor.close()
  }

  const pump = (): void => {
    for (let blocks = 0; !closed; blocks += 1) {
      if (blocks === BLOCKS_IN_A_ROW) {
        clock.defer(goOn)
        return
      }
      // Before the read: what comes in between is seen by it.
      const ended = source.hasEnded()
      const block = cursor.next(until)
      if (block === undefined) {
        if (until !== undefined || ended) end()
        else stopWaiting = source.onChange(() => clock.defer(goOn))
        return
      }
      const chosen = selection.choose(block)
      if (chosen.length > 0) stream.push(chosen)
      if (selection.isFull()) {
        end()
        return
      }
      // Asked again once this is taken.
      if (chosen.length > 0) return
    }
  }

  const goOn = (): void => {
    try {
      pump()
    } catch (error) {
      // The files have gone with their pod.
      stream.destroy(error as Error)
    }
  }

  const stream: Readable = new Readable({
    read: goOn,
    destroy(error, done) {
      closed = true
      stopWaiting?.()
      cursor.close()
      done(error)
    },
  })
  return stream
}
