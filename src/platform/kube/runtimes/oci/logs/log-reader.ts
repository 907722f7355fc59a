/** Reads a log as a stream, in blocks and with back-pressure. */
import { closeSync, openSync, readSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Clock } from '#kit'
import { createLineSelection, HEADER_BYTES, MAX_TEXT_BYTES, NEWLINE } from '#platform/kube/containers'
import type { LogOptions } from '#platform/kube/ports'
import { findTail, type LogPosition } from './find-tail.ts'
import type { LogFile } from './log-files.ts'

/** Larger than the longest possible line. */
const BLOCK_BYTES = 4 * (HEADER_BYTES + MAX_TEXT_BYTES)
/** The reader yields to the event loop after this many blocks without selected lines. */
const MAX_BLOCKS_PER_TURN = 16

export interface LogSource {
  files(): readonly LogFile[]
  /** Whether the log is complete. */
  hasEnded(): boolean
  /** Calls `listener` once when the log grows or ends; the returned function unsubscribes. */
  onChange(listener: () => void): () => void
}

/** A position that moves forward through the files and tolerates the removal of older ones. */
const createCursor = (source: LogSource, { number, offset }: LogPosition) => {
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  let file = { number, offset, fd: undefined as number | undefined }

  const close = (): void => {
    if (file.fd !== undefined) closeSync(file.fd)
    file = { ...file, fd: undefined }
  }

  /** Moves to the next file; returns false if there is none. */
  const advance = (): boolean => {
    const next = source.files().find((candidate) => candidate.number > file.number)
    if (next === undefined) return false
    close()
    file = { number: next.number, offset: 0, fd: openSync(next.path, 'r') }
    return true
  }

  const open = (): boolean => {
    if (file.fd !== undefined) return true
    const known = source.files().find((candidate) => candidate.number === file.number)
    if (known === undefined) return advance()
    file = { ...file, fd: openSync(known.path, 'r') }
    return true
  }

  return {
    /** Returns complete lines, valid until the next call; undefined if there are none yet. */
    next(until: LogPosition | undefined): Buffer | undefined {
      while (open()) {
        const last = until?.number === file.number ? until.offset : Number.POSITIVE_INFINITY
        const length = Math.max(0, Math.min(BLOCK_BYTES, last - file.offset))
        const filled = block.subarray(0, readSync(file.fd!, block, 0, length, file.offset))
        const end = filled.lastIndexOf(NEWLINE) + 1
        file.offset += end
        if (end > 0) return filled.subarray(0, end)
        if (until !== undefined && file.number >= until.number) return undefined
        if (!advance()) return undefined
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
      if (blocks === MAX_BLOCKS_PER_TURN) {
        clock.defer(pumpSafely)
        return
      }
      // Checked before the read, so that lines added in between are not missed.
      const ended = source.hasEnded()
      const block = cursor.next(until)
      if (block === undefined) {
        if (until !== undefined || ended) end()
        else stopWaiting = source.onChange(() => clock.defer(pumpSafely))
        return
      }
      const chosen = selection.select(block)
      if (chosen.length > 0) stream.push(chosen)
      if (selection.isFull()) {
        end()
        return
      }
      // read() is called again when the stream has drained.
      if (chosen.length > 0) return
    }
  }

  const pumpSafely = (): void => {
    try {
      pump()
    } catch (error) {
      // The files were removed with their pod.
      stream.destroy(error as Error)
    }
  }

  const stream: Readable = new Readable({
    read: pumpSafely,
    destroy(error, done) {
      closed = true
      stopWaiting?.()
      cursor.close()
      done(error)
    },
  })
  return stream
}
