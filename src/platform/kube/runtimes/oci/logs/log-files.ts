/** The rotated files of one log, numbered in ascending order. New lines go to the last one. */
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface LogFile {
  readonly number: number
  readonly path: string
  readonly bytes: number
}

export interface LogFiles {
  /** Oldest first; never empty. */
  list(): readonly LogFile[]
  /** Writes complete lines into one file. */
  append(lines: Uint8Array): void
  close(): void
}

export interface LogLimits {
  /** The size at which a file is rotated. */
  fileBytes: number
  files: number
}

export const createLogFiles = (folder: string, { fileBytes, files }: LogLimits): LogFiles => {
  mkdirSync(folder, { recursive: true })
  const createFile = (number: number): { number: number; path: string; bytes: number } => ({
    number,
    path: join(folder, `${number}.log`),
    bytes: 0,
  })
  const existing = [createFile(0)]
  const last = (): { number: number; path: string; bytes: number } => existing.at(-1)!
  let fd = openSync(last().path, 'a')

  const rotate = (): void => {
    const next = createFile(last().number + 1)
    const opened = openSync(next.path, 'a')
    closeSync(fd)
    fd = opened
    existing.push(next)
    for (const { path } of existing.splice(0, existing.length - files)) rmSync(path, { force: true })
  }

  return {
    list: () => existing,
    append(lines) {
      if (last().bytes >= fileBytes) rotate()
      try {
        for (let written = 0; written < lines.length; ) written += writeSync(fd, lines, written)
        last().bytes += lines.length
      } catch (error) {
        // An incomplete line would corrupt the next one.
        ftruncateSync(fd, last().bytes)
        throw error
      }
    },
    close: () => closeSync(fd),
  }
}
