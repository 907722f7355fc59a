/**
 * The connection of a forked process to its supervisor. It is used without the event loop until the process listens for messages: a process that
 * forks must have no open handles.
 */
import { closeSync, readSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { connectToSocket, endWithParent, exitNow } from '#machine/linux'
import { createMessageReader, type FromFork, ROOT_NUMBER, type ToFork } from './fork-messages.ts'

export interface SupervisorLink {
  send(message: unknown): void
  /** Receives the messages of the supervisor. After that, the process cannot fork. It ends when the supervisor closes the connection. */
  onMessage(listener: (message: unknown) => void): void
}

/** A link on which nothing listens. */
export interface BlockingLink extends SupervisorLink {
  /** The path of the supervisor's socket. */
  readonly path: string
  report(message: FromFork): void
  /** Blocks this thread until the supervisor sends something; returns undefined if it has closed the connection. */
  receive(): ToFork | undefined
  /** Closes the descriptor of this process only. */
  close(): void
}

const CHUNK_BYTES = 65_536

const readBlocking = (descriptor: number, chunk: Buffer): number => {
  for (;;)
    try {
      return readSync(descriptor, chunk, 0, chunk.length, null)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ECONNRESET') return 0
      if (code !== 'EINTR') throw error
    }
}

const writeBlocking = (descriptor: number, bytes: Buffer): void => {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
}

export const openLink = (path: string, number: number): BlockingLink => {
  const descriptor = connectToSocket(path)
  const received: ToFork[] = []
  const read = createMessageReader<ToFork>((message) => received.push(message))
  let socket: Socket | undefined
  const report = (message: FromFork): void => {
    const line = Buffer.from(`${JSON.stringify(message)}\n`)
    if (socket === undefined) writeBlocking(descriptor, line)
    else socket.write(line)
  }
  report({ kind: 'hello', number, pid: process.pid })
  return {
    path,
    report,
    send: (message) => report({ kind: 'message', message }),
    receive() {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      while (received.length === 0) {
        const count = readBlocking(descriptor, chunk)
        if (count === 0) return undefined
        read(chunk.subarray(0, count))
      }
      return received.shift()
    },
    close: () => closeSync(descriptor),
    onMessage(listener) {
      const receive = createMessageReader<ToFork>((message) => {
        if (message.kind === 'message') listener(message.message)
      })
      socket = new Socket({ fd: descriptor, readable: true, writable: true })
      socket.on('data', receive)
      socket.on('error', () => exitNow(0))
      socket.on('close', () => exitNow(0))
    },
  }
}

/** Connects the first process, whose argument is the path of the supervisor's socket. */
export const connectToSupervisor = (): BlockingLink => {
  endWithParent()
  // In a forked process, the end of Node.js itself would wait for threads that do not exist.
  process.on('exit', (code) => exitNow(code))
  return openLink(process.argv[2]!, ROOT_NUMBER)
}
