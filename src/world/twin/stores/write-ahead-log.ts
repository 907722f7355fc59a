/** A log file that records changes before they are confirmed and replays them at start. */
import { crc32 } from 'node:zlib'
import type { ProgramFile, ProgramFiles } from '#spec'
import { FileDigest } from './file-digest.ts'

export interface WriteAheadLog {
  /**
   * Resolves when the record is on the disk. If the write fails, first calls `undo` of all pending records,
   * newest first, and then rejects all of them.
   */
  append(record: Buffer, undo?: () => void): Promise<void>
  /** Whether the next start would replay exactly these records: no other program has changed the file. */
  isIntact(): Promise<boolean>
  close(): Promise<void>
}

export interface WriteAheadLogOptions {
  readonly files: ProgramFiles
  readonly file: string
  /** Called for each existing record, in order, before openWriteAheadLog resolves. */
  readonly replay: (record: Buffer) => void
  /** Returns records equivalent to the whole log. They replace it once it has grown far beyond them. */
  readonly snapshot: () => Iterable<Buffer>
  /** The log is never rewritten below this size; 8 MiB by default. */
  readonly rewriteFromBytes?: number
}

/** Bytes of a record's header: length and checksum, four bytes each. */
const HEADER_BYTES = 8
const REWRITE_GROWTH_FACTOR = 3

interface PendingRecord {
  readonly record: Buffer
  readonly undo: (() => void) | undefined
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const toFrame = (record: Buffer): Buffer => {
  const header = Buffer.allocUnsafe(HEADER_BYTES)
  header.writeUInt32LE(record.length, 0)
  header.writeUInt32LE(crc32(record), 4)
  return Buffer.concat([header, record])
}

/** Replays the records and returns the end of the last complete one. Later bytes were never confirmed. */
const replayAll = (bytes: Buffer, replay: (record: Buffer) => void): number => {
  let at = 0
  while (at + HEADER_BYTES <= bytes.length) {
    const end = at + HEADER_BYTES + bytes.readUInt32LE(at)
    if (end > bytes.length) break
    const record = bytes.subarray(at + HEADER_BYTES, end)
    if (crc32(record) !== bytes.readUInt32LE(at + 4)) break
    replay(Buffer.from(record))
    at = end
  }
  return at
}

interface OpenedFile {
  readonly handle: ProgramFile
  readonly content: Uint8Array
}

const writeAll = async (handle: ProgramFile, bytes: Buffer, position: number): Promise<void> => {
  for (let written = 0; written < bytes.length; )
    written += await handle.write(bytes.subarray(written), position + written)
}

const openFile = async ({ files, file, replay }: WriteAheadLogOptions): Promise<OpenedFile> => {
  await (await files.open(file, 'append')).close()
  const handle = await files.open(file, 'update')
  try {
    const content = Buffer.from(files.read(file))
    const size = replayAll(content, replay)
    await handle.truncate(size)
    return { handle, content: content.subarray(0, size) }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const temporaryPathOf = (file: string): string => `${file}.new`

/** Writes a new file and renames it: the old file stays valid until the new one is complete. */
const rewriteFile = async (
  { files, file }: WriteAheadLogOptions,
  records: Iterable<Buffer>,
): Promise<OpenedFile> => {
  const bytes = Buffer.concat([...records].map(toFrame))
  const handle = await files.open(temporaryPathOf(file), 'replace')
  try {
    await writeAll(handle, bytes, 0)
    await handle.sync()
    await files.rename(temporaryPathOf(file), file)
    return { handle, content: bytes }
  } catch (error) {
    await handle.close().catch(() => {})
    await files.remove(temporaryPathOf(file)).catch(() => {})
    throw error
  }
}

class LogFile implements WriteAheadLog {
  readonly #options: WriteAheadLogOptions
  #handle: ProgramFile
  #digest: FileDigest
  #size: number
  #compactSize: number
  #waiting: PendingRecord[] = []
  #working: Promise<void> | undefined
  #closed = false
  /** Whether the file may end with a part of a record whose write failed. */
  #torn = false

  constructor(options: WriteAheadLogOptions, opened: OpenedFile) {
    this.#options = options
    this.#handle = opened.handle
    this.#digest = new FileDigest(opened.content)
    this.#size = opened.content.length
    this.#compactSize = opened.content.length
  }

  append(record: Buffer, undo?: () => void): Promise<void> {
    if (this.#closed) {
      undo?.()
      return Promise.reject(new Error('the log is closed'))
    }
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ record, undo, resolve, reject })
      this.#working ??= this.#work()
    })
    // A caller that throws before it awaits this promise must not cause an unhandled rejection.
    written.catch(() => {})
    return written
  }

  async isIntact(): Promise<boolean> {
    // The digest lacks the bytes of a write in progress.
    while (this.#working) await this.#working
    const { files, file } = this.#options
    return this.#digest.matches(files, file, this.#torn ? this.#size : undefined)
  }

  async close(): Promise<void> {
    this.#closed = true
    while (this.#working) await this.#working
    await this.#handle.close()
  }

  async #work(): Promise<void> {
    // Batches records that are appended in the same tick.
    await undefined
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.#write(batch)
    }
    await this.#rewriteIfGrown()
    this.#working = undefined
    if (this.#waiting.length > 0) this.#working = this.#work()
  }

  async #write(batch: readonly PendingRecord[]): Promise<void> {
    const bytes = Buffer.concat(batch.map(({ record }) => toFrame(record)))
    try {
      if (this.#torn) await this.#handle.truncate(this.#size)
      this.#torn = true
      await writeAll(this.#handle, bytes, this.#size)
      await this.#handle.sync()
      this.#torn = false
      this.#size += bytes.length
      this.#digest.add(bytes)
      for (const { resolve } of batch) resolve()
    } catch (error) {
      // Later records depend on the changes that are undone here.
      const rejected = [...batch, ...this.#waiting]
      this.#waiting = []
      for (const { undo } of rejected.toReversed()) undo?.()
      for (const { reject } of rejected) reject(error)
    }
  }

  async #rewriteIfGrown(): Promise<void> {
    const { snapshot, rewriteFromBytes = 8 * 1024 * 1024 } = this.#options
    if (this.#size < rewriteFromBytes || this.#size < REWRITE_GROWTH_FACTOR * this.#compactSize) return
    try {
      // The snapshot is taken synchronously; later changes wait and are appended to the new file.
      const { handle, content } = await rewriteFile(this.#options, snapshot())
      const previous = this.#handle
      this.#handle = handle
      this.#digest = new FileDigest(content)
      this.#torn = false
      this.#size = content.length
      this.#compactSize = content.length
      await previous.close().catch(() => {})
    } catch {
      // No space for two files: keep the old one.
      this.#compactSize = this.#size
    }
  }
}

/** Rejects if the file cannot be read or written. */
export const openWriteAheadLog = async (options: WriteAheadLogOptions): Promise<WriteAheadLog> =>
  new LogFile(options, await openFile(options))

/** A log for stores without a folder: records nothing. */
export const createMemoryLog = (): WriteAheadLog => ({
  append: async () => {},
  isIntact: async () => true,
  close: async () => {},
})
