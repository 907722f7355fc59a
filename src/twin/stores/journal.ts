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

interface Wish {
  readonly text: string
  readonly done: () => void
  readonly failed: (error: unknown) => void
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
  #dump: { readonly dump: () => Iterable<string>; readonly done: Wish } | undefined
  #writing: Promise<void> | undefined
  #dirty = false
  #syncing: { readonly since: number; readonly over: Promise<void> } | undefined
  readonly #timer: NodeJS.Timeout

  constructor(path: string, file: FileHandle, size: number) {
    this.#path = path
    this.#file = file
    this.size = size
    this.#timer = setInterval(() => this.#sync(), SYNC_EVERY_MS).unref()
  }

  append(text: string): Promise<void> {
    return new Promise((done, failed) => {
      this.#wishes.push({ text, done, failed })
      this.#writing ??= this.#write()
    })
  }

  rewrite(dump: () => Iterable<string>): Promise<void> {
    return new Promise((done, failed) => {
      this.#dump = { dump, done: { text: '', done, failed } }
      this.#writing ??= this.#write()
    })
  }

  /** All that waits goes in one write. */
  async #write(): Promise<void> {
    // Those who wish something in the same turn go together.
    await Promise.resolve()
    while (this.#wishes.length > 0 || this.#dump !== undefined) {
      const dump = this.#dump
      const wishes = this.#wishes
      this.#wishes = []
      this.#dump = undefined
      const all = dump === undefined ? wishes : [...wishes, dump.done]
      try {
        if (dump === undefined) await this.#extend(wishes.map(({ text }) => text).join(''))
        else await this.#replace([...dump.dump()])
        for (const { done } of all) done()
      } catch (error) {
        for (const { failed } of all) failed(error)
      }
    }
    this.#writing = undefined
  }

  async #extend(text: string): Promise<void> {
    if (this.#syncing !== undefined && Date.now() - this.#syncing.since > SYNC_PATIENCE_MS)
      await this.#syncing.over
    try {
      this.size += await writeAll(this.#file, text, this.size)
      this.#dirty = true
    } catch (error) {
      // Half an entry would be read as the end of the file, with all that follows.
      await this.#file.truncate(this.size).catch(() => undefined)
      throw error
    }
  }

  async #replace(pieces: readonly string[]): Promise<void> {
    const path = `${this.#path}.new`
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
    await this.#syncing?.over
    await former.close()
  }

  #sync(): void {
    if (!this.#dirty || this.#syncing !== undefined) return
    this.#dirty = false
    const over = this.#file
      .datasync()
      .catch(() => {
        this.#dirty = true
      })
      .then(() => {
        this.#syncing = undefined
      })
    this.#syncing = { since: Date.now(), over }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writing
    await this.#syncing?.over
    if (this.#dirty) await this.#file.datasync().catch(() => undefined)
    await this.#file.close()
  }
}

/**
 * Reads what is there and goes on after it. `replay` gets it, a letter for each byte, and says how much of it is
 * whole; the rest, which a sudden end left, is cut off.
 */
export const openJournal = async (path: string, replay: (text: string) => number): Promise<Journal> => {
  mkdirSync(dirname(path), { recursive: true })
  const file = await open(path, 'a').then(async (made) => {
    await made.close()
    return open(path, 'r+')
  })
  const text = readFileSync(path, 'latin1')
  const whole = replay(text)
  if (whole < text.length) await file.truncate(whole)
  return new AppendFile(path, file, whole)
}
