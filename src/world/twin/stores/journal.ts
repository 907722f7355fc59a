/**
 * An append-only file for the data of a store. An append resolves when the kernel has the data. The file is
 * synced once a second; appends wait if a sync takes too long.
 */
import { dirname } from 'node:path'
import type { ProgramFile } from '#spec'
import { FileDigest } from './file-digest.ts'
import type { StoreHost } from './store-host.ts'

const SYNC_INTERVAL_MS = 1_000

/** Appends wait for a sync that takes longer than this. */
const MAX_SYNC_MS = 2_000

export interface Journal {
  /** Bytes in the file. */
  readonly size: number
  /** Rejects if the write fails; the file keeps its previous content. */
  append(text: string): Promise<void>
  /**
   * Replaces the content of the file with the result of `dump`, which is called while no write is in
   * progress.
   */
  rewrite(dump: () => Iterable<string>): Promise<void>
  /** Whether the next start would replay exactly what was appended: no other program has changed the file. */
  isIntact(): Promise<boolean>
  close(): Promise<void>
}

interface Pending {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface PendingAppend extends Pending {
  readonly text: string
}

interface PendingRewrite extends Pending {
  readonly dump: () => Iterable<string>
}

const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1')

const writeAll = async (file: ProgramFile, bytes: Buffer, position: number): Promise<void> => {
  for (let written = 0; written < bytes.length; )
    written += await file.write(bytes.subarray(written), position + written)
}

type JournalHost = Pick<StoreHost, 'files' | 'time'>

class AppendFile implements Journal {
  size: number
  readonly #host: JournalHost
  readonly #path: string
  #file: ProgramFile
  #digest: FileDigest
  #appends: PendingAppend[] = []
  #rewriting: PendingRewrite | undefined
  #writing: Promise<void> | undefined
  /** Whether the file may end with a part of an entry whose write failed. */
  #torn = false
  #dirty = false
  #closed = false
  #syncing: { readonly since: number; readonly done: Promise<void> } | undefined
  #cancelSync: (() => void) | undefined

  constructor(host: JournalHost, path: string, file: ProgramFile, content: Uint8Array) {
    this.#host = host
    this.#path = path
    this.#file = file
    this.#digest = new FileDigest(content)
    this.size = content.length
  }

  append(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#appends.push({ text, resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  rewrite(dump: () => Iterable<string>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#rewriting = { dump, resolve, reject }
      this.#writing ??= this.#write()
    })
  }

  /** Writes all pending entries at once. */
  async #write(): Promise<void> {
    // Batches entries that are appended in the same tick.
    await Promise.resolve()
    while (this.#appends.length > 0 || this.#rewriting !== undefined) {
      const appends = this.#appends
      const rewriting = this.#rewriting
      this.#appends = []
      this.#rewriting = undefined
      // The dump includes the pending entries; if the rewrite fails, they are appended to the old file.
      if (rewriting !== undefined && (await this.#settle([rewriting], () => this.#replace(rewriting.dump))))
        for (const { resolve } of appends) resolve()
      else if (appends.length > 0) await this.#settle(appends, () => this.#extend(appends))
    }
    this.#writing = undefined
  }

  /** Runs the work and settles the pending promises. */
  async #settle(pending: readonly Pending[], work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      for (const { resolve } of pending) resolve()
      return true
    } catch (error) {
      for (const { reject } of pending) reject(error)
      return false
    }
  }

  async #extend(appends: readonly PendingAppend[]): Promise<void> {
    if (this.#syncing !== undefined && this.#host.time.monotonic() - this.#syncing.since > MAX_SYNC_MS)
      await this.#syncing.done
    if (this.#torn) await this.#truncate()
    const bytes = toBytes(appends.map(({ text }) => text).join(''))
    try {
      await writeAll(this.#file, bytes, this.size)
      this.size += bytes.length
      this.#digest.add(bytes)
    } catch (error) {
      this.#torn = true
      await this.#truncate().catch(() => undefined)
      // Later entries depend on the ones that are lost here.
      for (const { reject } of this.#appends.splice(0)) reject(error)
      throw error
    }
    this.#dirty = true
    this.#scheduleSync()
  }

  /** Removes a partial entry: the next replay would stop there and lose all later entries. */
  async #truncate(): Promise<void> {
    await this.#file.truncate(this.size)
    this.#torn = false
  }

  async #replace(dump: () => Iterable<string>): Promise<void> {
    // The dump is complete before the first await, so later changes are appended after it.
    const pieces = [...dump()]
    const path = temporaryPathOf(this.#path)
    const { files } = this.#host
    const file = await files.open(path, 'replace')
    let size = 0
    const digest = new FileDigest()
    try {
      for (const piece of pieces) {
        const bytes = toBytes(piece)
        await writeAll(file, bytes, size)
        size += bytes.length
        digest.add(bytes)
      }
      await file.sync()
      await files.rename(path, this.#path)
    } catch (error) {
      await file.close()
      await files.remove(path)
      throw error
    }
    const previous = this.#file
    this.#file = file
    this.#digest = digest
    this.size = size
    this.#torn = false
    await this.#syncing?.done
    await previous.close().catch(() => undefined)
  }

  /** Schedules a sync only after a write: an idle store uses no CPU. */
  #scheduleSync(): void {
    if (!this.#closed) this.#cancelSync ??= this.#host.time.after(SYNC_INTERVAL_MS, () => this.#sync())
  }

  #sync(): void {
    this.#cancelSync = undefined
    if (!this.#dirty || this.#syncing !== undefined) return
    this.#dirty = false
    const done = this.#file
      .sync()
      .catch(() => {
        this.#dirty = true
      })
      .then(() => {
        this.#syncing = undefined
        if (this.#dirty) this.#scheduleSync()
      })
    this.#syncing = { since: this.#host.time.monotonic(), done }
  }

  async isIntact(): Promise<boolean> {
    // The digest lacks the bytes of a write in progress.
    while (this.#writing !== undefined) await this.#writing
    const { files } = this.#host
    // The next start fails if it cannot remove the temporary file.
    if (files.exists(temporaryPathOf(this.#path))) return false
    return this.#digest.matches(files, this.#path, this.#torn ? this.size : undefined)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelSync?.()
    await this.#writing
    await this.#syncing?.done
    if (this.#dirty) await this.#file.sync().catch(() => undefined)
    await this.#file.close()
  }
}

const temporaryPathOf = (path: string): string => `${path}.new`

/**
 * Opens the file and replays its content. `replay` gets the content with one character per byte and returns
 * the number of bytes in complete entries; the rest, left by a crash, is removed.
 */
export const openJournal = async (
  host: JournalHost,
  path: string,
  replay: (text: string) => number,
): Promise<Journal> => {
  const { files } = host
  files.makeFolder(dirname(path))
  // Left by a rewrite that a crash interrupted.
  await files.remove(temporaryPathOf(path))
  await (await files.open(path, 'append')).close()
  const file = await files.open(path, 'update')
  try {
    const content = files.read(path)
    const completeBytes = replay(Buffer.from(content).toString('latin1'))
    if (completeBytes < content.length) await file.truncate(completeBytes)
    return new AppendFile(host, path, file, content.subarray(0, completeBytes))
  } catch (error) {
    await file.close()
    throw error
  }
}
