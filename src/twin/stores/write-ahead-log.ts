/** A file that changes are written to before anybody is told that they happened, and read from at the start. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

export interface WriteAheadLog {
  /**
   * Resolves when the record is on the disk. Where it cannot be written, `undo` of all records that wait is called, the
   * newest first, before anything else happens; then all of them reject.
   */
  append(record: Buffer, undo?: () => void): Promise<void>
  close(): Promise<void>
}

export interface WriteAheadLogOptions {
  readonly file: string
  /** Called for each record there is, in order, before openWriteAheadLog resolves. */
  readonly replay: (record: Buffer) => void
  /** Records that say the same as all before: the file is rewritten with them when it has grown far beyond them. */
  readonly snapshot: () => Iterable<Buffer>
  /** Bytes below which it is never rewritten; 8 MiB where absent. */
  readonly rewriteFromBytes?: number
}

/** Length and checksum, four bytes each. */
const HEADER = 8
const GROWTH = 3

interface Waiting {
  readonly record: Buffer
  readonly undo: (() => void) | undefined
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const toFrame = (record: Buffer): Buffer => {
  const header = Buffer.allocUnsafe(HEADER)
  header.writeUInt32LE(record.length, 0)
  header.writeUInt32LE(crc32(record), 4)
  return Buffer.concat([header, record])
}

/** Where the last whole record ends: what comes after it was never confirmed to anybody. */
const replayAll = (bytes: Buffer, replay: (record: Buffer) => void): number => {
  let at = 0
  while (at + HEADER <= bytes.length) {
    const end = at + HEADER + bytes.readUInt32LE(at)
    if (end > bytes.length) break
    const record = bytes.subarray(at + HEADER, end)
    if (crc32(record) !== bytes.readUInt32LE(at + 4)) break
    replay(Buffer.from(record))
    at = end
  }
  return at
}

const openFile = async (file: string, replay: (record: Buffer) => void) => {
  const handle = await open(file, 'a+')
  try {
    const end = replayAll(await handle.readFile(), replay)
    await handle.truncate(end)
    return { handle, size: end }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const newOf = (file: string): string => `${file}.new`

/** The old file is there until the new one is whole. */
const rewriteFile = async (file: string, records: Iterable<Buffer>) => {
  const bytes = Buffer.concat([...records].map(toFrame))
  await rm(newOf(file), { force: true })
  const handle = await open(newOf(file), 'a')
  try {
    await handle.writeFile(bytes)
    await handle.datasync()
    await rename(newOf(file), file)
    return { handle, size: bytes.length }
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(newOf(file), { force: true }).catch(() => {})
    throw error
  }
}

class LogFile implements WriteAheadLog {
  readonly #options: WriteAheadLogOptions
  #handle: FileHandle
  #size: number
  #sizeWhenNew: number
  #waiting: Waiting[] = []
  #working: Promise<void> | undefined
  #closed = false
  /** Behind the last good record may be a part of one that failed. */
  #torn = false

  constructor(options: WriteAheadLogOptions, opened: { handle: FileHandle; size: number }) {
    this.#options = options
    this.#handle = opened.handle
    this.#size = opened.size
    this.#sizeWhenNew = opened.size
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
    // One that gives up half-way through its changes does not ask any more what became of them.
    written.catch(() => {})
    return written
  }

  async close(): Promise<void> {
    this.#closed = true
    while (this.#working) await this.#working
    await this.#handle.close()
  }

  async #work(): Promise<void> {
    // What is asked for in the same turn goes to the disk together.
    await undefined
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.#write(batch)
    }
    await this.#rewriteWhereGrown()
    this.#working = undefined
    if (this.#waiting.length > 0) this.#working = this.#work()
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const bytes = Buffer.concat(batch.map(({ record }) => toFrame(record)))
    try {
      if (this.#torn) await this.#handle.truncate(this.#size)
      this.#torn = true
      await this.#handle.writeFile(bytes)
      await this.#handle.datasync()
      this.#torn = false
      this.#size += bytes.length
      for (const { resolve } of batch) resolve()
    } catch (error) {
      // Those that came meanwhile build on what is undone now.
      const lost = [...batch, ...this.#waiting]
      this.#waiting = []
      for (const { undo } of lost.toReversed()) undo?.()
      for (const { reject } of lost) reject(error)
    }
  }

  async #rewriteWhereGrown(): Promise<void> {
    const { file, snapshot, rewriteFromBytes = 8 * 1024 * 1024 } = this.#options
    if (this.#size < rewriteFromBytes || this.#size < GROWTH * this.#sizeWhenNew) return
    try {
      // Taken at once: changes that come while it is written wait, and are appended to the new file.
      const { handle, size } = await rewriteFile(file, snapshot())
      const former = this.#handle
      this.#handle = handle
      this.#torn = false
      this.#size = size
      this.#sizeWhenNew = size
      await former.close().catch(() => {})
    } catch {
      // No room for two files: the old one goes on.
      this.#sizeWhenNew = this.#size
    }
  }
}

/** Rejects where the file cannot be read or written. */
export const openWriteAheadLog = async (options: WriteAheadLogOptions): Promise<WriteAheadLog> =>
  new LogFile(options, await openFile(options.file, options.replay))

/** For stores without a folder: everything is gone when the process ends. */
export const createMemoryLog = (): WriteAheadLog => ({
  append: async () => {},
  close: async () => {},
})
