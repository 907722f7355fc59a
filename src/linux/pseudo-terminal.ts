/** The engine's side of a pseudo-terminal, as two streams. */
import { closeSync, write } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { ReadStream } from 'node:tty'
import type { Clock } from '../kit/index.ts'
import { checked, libc } from './libc.ts'

const F_GETFL = 3
const F_SETFL = 4
const F_DUPFD_CLOEXEC = 1030
const O_NONBLOCK = 0o4000
const TIOCSWINSZ = 0x5414
/** When a program that does not read is asked again. */
const FULL_MS = 5

export interface TerminalSize {
  columns: number
  rows: number
}

export interface PseudoTerminal {
  /** What is typed. Its end says nothing to the program. */
  readonly input: Writable
  /** What is shown; ends when no program holds the other side any more. */
  readonly output: Readable
  resize(size: TerminalSize): void
  close(): void
}

/** Node's own terminal streams break with EIO when the other side is gone, which is no fault here. */
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

/** Node's own would block the whole process while the program does not read. */
const writeTerminal = (fd: number, clock: Clock, isOpen: () => boolean): Writable => {
  const put = (bytes: Uint8Array, done: (error?: Error | null) => void): void => {
    // Typed into a terminal that nobody reads any more.
    if (!isOpen()) {
      done()
      return
    }
    write(fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') clock.after(FULL_MS, () => put(bytes, done))
      else if (error !== null) done(error.code === 'EIO' ? null : error)
      else if (written < bytes.length) put(bytes.subarray(written), done)
      else done()
    })
  }
  return new Writable({ write: (chunk: Buffer, _encoding, done) => put(chunk, done) })
}

/** Takes the descriptor over. */
export const openPseudoTerminal = (fd: number, clock: Clock): PseudoTerminal => {
  checked('fcntl', libc.fcntl(fd, F_SETFL, checked('fcntl', libc.fcntl(fd, F_GETFL, 0)) | O_NONBLOCK))
  // The stream that reads closes its own when the other side is gone; another file may get that number.
  const own = checked('fcntl', libc.fcntl(fd, F_DUPFD_CLOEXEC, 0))
  let open = true
  const output = readTerminal(fd)
  const input = writeTerminal(own, clock, () => open)
  input.on('error', () => {})
  const release = (): void => {
    // A write under way still has the descriptor in its hands.
    if (input.writableLength > 0) clock.after(FULL_MS, release)
    else closeSync(own)
  }
  return {
    input,
    output,
    resize({ columns, rows }) {
      if (!open) return
      const size = Buffer.alloc(8)
      size.writeUInt16LE(rows, 0)
      size.writeUInt16LE(columns, 2)
      libc.ioctl(own, TIOCSWINSZ, size)
    },
    close() {
      if (!open) return
      open = false
      output.destroy()
      release()
    },
  }
}
