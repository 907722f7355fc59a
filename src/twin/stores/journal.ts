/**
 * A file that only grows: what a store must not forget. An append is over when the kernel has taken it; the disk is
 * told to keep it once a second, and one that does not get that done makes the appends wait.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

const SYNC_EVERY_MS = 1_000

/** As long may the disk take before it is waited for. */
const SYNC_PATIENCE_MS = 2_000

export interface Journal {
  /** Bytes in the file. */
  readonly size: number
  /** Rejects where the disk does not take it: the file is then as it was before. */
  append(text: string): Promise<void>
  /** Puts what `dump` gives, asked when nothing else is being written, in place of all that was appended so far. */
  rewrite(dump: () => Iterable<string>): Promise<void>
  close(): Promise<void>
}

interface Waiting {
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

interface Wish extends Waiting {
  readonly text: string
}

interface Rewriting extends Waiting {
  readonly dump: () => Iterable<string>
}

const writeAll = async (file: FileHandle, text: string, at: number): Promise<number> => {
  const bytes = Buffer.from(text, 'latin1')
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, at + written)
    written += bytesWritten
  }
  return written
}

class AppendFile implements Journal {
  size: number
  readonly #path: string
  #file: FileHandle
  #wishes: Wish[] = []
  #rewriting: Rewriting | undefined
  #writing: Promise<void> | undefined
  /** Behind the last good entry may be a part of one that failed. */
  #torn = false
  #dirty = false
  #closed = false
  #syncing: { readonly since: number; readonly over: Promise<void> } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, file: FileHandle, size: number) {
    this.#path = path
    this.#file = file
    this.size = size
  }

  append(text: string): Promise<void> {
    return new Promise((done, failed) => {
      this.#wishes.push({ text, done, failed })
      this.#writing ??= this.#write()
    })
  }

  rewrite(dump: () => Iterable<string>): Promise<void> {
    return new Promise((done, failed) => {
      this.#rewriting = { dump, done, failed }
      this.#writing ??= this.#write()
    })
  }

  /** All that waits goes in one write. */
  async #write(): Promise<void> {
    // Those who wish something in the same turn go together.
    await Promise.resolve()
    while (this.#wishes.length > 0 || this.#rewriting !== undefined) {
      const wishes = this.#wishes
      const rewriting = this.#rewriting
      this.#wishes = []
      this.#rewriting = undefined
      // What makes it all again has them in it already; where that did not succeed they go to the old file.
      if (rewriting !== undefined && (await this.#succeeds([rewriting], () => this.#replace(rewriting.dump))))
        for (const { done } of wishes) done()
      else if (wishes.length > 0) await this.#succeeds(wishes, () => this.#extend(wishes))
    }
    this.#writing = undefined
  }

  /** Does it, and tells those who wait for it. */
  async #succeeds(waiting: readonly Waiting[], work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      for (const { done } of waiting) done()
      return true
    } catch (error) {
      for (const { failed } of waiting) failed(error)
      return false
    }
  }

  async #extend(wishes: readonly Wish[]): Promise<void> {
    if (this.#syncing !== undefined && Date.now() - this.#syncing.since > SYNC_PATIENCE_MS)
      await this.#syncing.over
    if (this.#torn) await this.#cutOff()
    try {
      this.size += await writeAll(this.#file, wishes.map(({ text }) => text).join(''), this.size)
    } catch (error) {
      this.#torn = true
      await this.#cutOff().catch(() => undefined)
      // Those that came meanwhile follow from what is lost now.
      for (const { failed } of this.#wishes.splice(0)) failed(error)
      throw error
    }
    this.#dirty = true
    this.#planSync()
  }

  /** Half an entry would be read as the end of the file, with all that follows. */
  async #cutOff(): Promise<void> {
    await this.#file.truncate(this.size)
    this.#torn = false
  }

  async #replace(dump: () => Iterable<string>): Promise<void> {
    // All of it before the first wait: what changes later comes behind it.
    const pieces = [...dump()]
    const path = newOf(this.#path)
    const file = await open(path, 'w')
    let size = 0
    try {
      for (const piece of pieces) size += await writeAll(file, piece, size)
      await file.datasync()
      await rename(path, this.#path)
    } catch (error) {
      await file.close()
      await rm(path, { force: true })
      throw error
    }
    const former = this.#file
    this.#file = file
    this.size = size
    this.#torn = false
    await this.#syncing?.over
    await former.close().catch(() => undefined)
  }

  /** Only where there is something to keep: an idle store does nothing. */
  #planSync(): void {
    if (!this.#closed) this.#timer ??= setTimeout(() => this.#sync(), SYNC_EVERY_MS).unref()
  }

  #sync(): void {
    this.#timer = undefined
    if (!this.#dirty || this.#syncing !== undefined) return
    this.#dirty = false
    const over = this.#file
      .datasync()
      .catch(() => {
        this.#dirty = true
      })
      .then(() => {
        this.#syncing = undefined
        if (this.#dirty) this.#planSync()
      })
    this.#syncing = { since: Date.now(), over }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#writing
    await this.#syncing?.over
    if (this.#dirty) await this.#file.datasync().catch(() => undefined)
    await this.#file.close()
  }
}

const newOf = (path: string): string => `${path}.new`

/**
 * Reads what is there and goes on after it. `replay` gets it, a letter for each byte, and says how much of it is
 * whole; the rest, which a sudden end left, is cut off.
 */
export const openJournal = async (path: string, replay: (text: string) => number): Promise<Journal> => {
  mkdirSync(dirname(path), { recursive: true })
  // Of a rewrite that a sudden end broke off.
  await rm(newOf(path), { force: true })
  await (await open(path, 'a')).close()
  const file = await open(path, 'r+')
  try {
    const text = readFileSync(path, 'latin1')
    const whole = replay(text)
    if (whole < text.length) await file.truncate(whole)
    return new AppendFile(path, file, whole)
  } catch (error) {
    await file.close()
    throw error
  }
}
