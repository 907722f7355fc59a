/** The file that `remedium load --records` names: every request and walk, a JSON line each. */
import { createWriteStream, openSync, type WriteStream } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'
import type { RecordBatch } from '../../workload/index.ts'

export interface RecordFile {
  write(batch: RecordBatch): void
  end(): void
  /** Resolves when nothing more can be written, such as on a full disk. */
  readonly lost: Promise<RemediumError>
}

const open = (path: string): WriteStream => {
  try {
    return createWriteStream(path, { fd: openSync(path, 'w') })
  } catch (cause) {
    throw new RemediumError('bad-argument', `The records cannot be written to ${path}.`, {
      hint: 'Name a file in a folder that exists and may be written to, with --records.',
      cause,
    })
  }
}

/** Without a path, nothing is written. */
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
