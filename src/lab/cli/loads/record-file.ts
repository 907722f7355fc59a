/** Writes the file of `remedium load --records`: a JSON line for each request and each journey run. */
import { createWriteStream, openSync, type WriteStream } from 'node:fs'
import { RemediumError } from '#spec'
import type { RecordBatch } from '#world/workload'

export interface RecordFile {
  write(batch: RecordBatch): void
  end(): void
  /** Resolves when the file can no longer be written, for example because the disk is full. */
  readonly lost: Promise<RemediumError>
}

const open = (path: string): WriteStream => {
  try {
    return createWriteStream(path, { fd: openSync(path, 'w') })
  } catch (cause) {
    throw new RemediumError('bad-argument', `The records cannot be written to ${path}.`, {
      hint: 'Name a file in an existing, writable folder with --records.',
      cause,
    })
  }
}

/** Writes nothing without a path. */
export const openRecordFile = (path: string | undefined): RecordFile => {
  const file = path === undefined ? undefined : open(path)
  return {
    write({ requests, journeys }) {
      for (const request of requests) file?.write(`${JSON.stringify({ request })}\n`)
      for (const journey of journeys) file?.write(`${JSON.stringify({ journey })}\n`)
    },
    end: () => void file?.end(),
    lost: new Promise((resolve) => {
      file?.once('error', (cause) =>
        resolve(new RemediumError('bad-argument', `The records cannot be written to ${path}.`, { cause })),
      )
    }),
  }
}
