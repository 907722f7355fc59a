/** The master side of a pseudo-terminal, as two streams. */
import { closeSync, write } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { ReadStream } from 'node:tty'
import type { Clock } from '#kit'
import { checked, libc } from './libc.ts'

const F_GETFL = 3
const F_SETFL = 4
const F_DUPFD_CLOEXEC = 1030
const O_NONBLOCK = 0o4000
const TIOCSWINSZ = 0x5414
/** The delay before a write to a full terminal is retried. */
const RETRY_MS = 5

export interface TerminalSize {
  columns: number
  rows: number
}

export interface PseudoTerminal {
  /** The keyboard input. Ending the stream does not affect the program. */
  readonly input: Writable
  /** The screen output; ends when no program has the other side open. */
  readonly output: Readable
  resize(size: TerminalSize): void
  close(): void
}

/** Node's ReadStream fails with EIO when the other side is closed; here that is the normal end. */
const readTerminal = (fd: number): Readable => {
  const source = new ReadStream(fd)
  const output = new Readable({
    read: () => {
      source.resume()
    },
    destroy(error, done) {
      source.destroy()
      done(error)
    },
  })
  const end = (): void => {
    if (!output.destroyed && !output.readableEnded) output.push(null)
    source.destroy()
  }
  source.on('data', (chunk) => {
    if (!output.push(chunk)) source.pause()
  })
  source.once('end', end)
  source.once('error', end)
  return output
}

/** Node's WriteStream would block the whole process while the program does not read. */
const writeTerminal = (fd: number, clock: Clock, isOpen: () => boolean): Writable => {
  const writeBytes = (bytes: Uint8Array, done: (error?: Error | null) => void): void => {
    // Input for a closed terminal is discarded.
    if (!isOpen()) {
      done()
      return
    }
    write(fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') clock.after(RETRY_MS, () => writeBytes(bytes, done))
      else if (error !== null) done(error.code === 'EIO' ? null : error)
      else if (written < bytes.length) writeBytes(bytes.subarray(written), done)
      else done()
    })
  }
  return new Writable({ write: (chunk: Buffer, _encoding, done) => writeBytes(chunk, done) })
}

/** Takes ownership of the descriptor. */
export const openPseudoTerminal = (fd: number, clock: Clock): PseudoTerminal => {
  checked('fcntl', libc.fcntl(fd, F_SETFL, checked('fcntl', libc.fcntl(fd, F_GETFL, 0)) | O_NONBLOCK))
  // Duplicated, because the read stream closes its descriptor at the end and the number may be reused.
  const duplicate = checked('fcntl', libc.fcntl(fd, F_DUPFD_CLOEXEC, 0))
  let open = true
  const output = readTerminal(fd)
  const input = writeTerminal(duplicate, clock, () => open)
  input.on('error', () => {})
  const release = (): void => {
    // A pending write still uses the descriptor.
    if (input.writableLength > 0) clock.after(RETRY_MS, release)
    else closeSync(duplicate)
  }
  return {
    input,
    output,
    resize({ columns, rows }) {
      if (!open) return
      const size = Buffer.alloc(8)
      size.writeUInt16LE(rows, 0)
      size.writeUInt16LE(columns, 2)
      libc.ioctl(duplicate, TIOCSWINSZ, size)
    },
    close() {
      if (!open) return
      open = false
      output.destroy()
      release()
    },
  }
}
