/** The supervisor of forked processes: starts the first one, orders forks, and ends processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createRealClock, lazily } from '#kit'
import { FORKING_FLAGS } from '#machine/linux'
import { RemediumError } from '#spec'
import { createMessageReader, type FromFork, ROOT_NUMBER, type ToFork } from './fork-messages.ts'

export interface ForkedProcess {
  readonly pid: number
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
  /** Receives every message from now on, and those that came before. */
  onMessage(listener: (message: unknown) => void): void
  send(message: unknown): void
  /** Forks the process, which must be, or soon be, at a fork point. Rejects with `cluster-lost` if it ends before that. */
  fork(order: unknown): Promise<ForkedProcess>
  /** Kills the process; its forks end with it. */
  end(): void
}

export interface ForkRoot extends ForkedProcess {
  /** Ends all processes. */
  close(): Promise<void>
}

export interface ForkRootOptions {
  /** The program of the first process, which calls `connectToSupervisor`. */
  readonly program: string
  /** Further flags of Node.js. */
  readonly flags: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** A folder for the socket, which only this user can change. */
  readonly folder: string
}

const SOCKET_NAME = 'forks'
/** From the order until the new process has connected. */
const CONNECT_MS = 60_000

interface Expected {
  resolve(process: ForkedProcess): void
  reject(reason: string): void
  /** Kills the process; only its parent knows whether its process ID is still that of the process. */
  kill(pid: number): void
}

/** Processes that have been ordered and not yet connected, by number. */
const createExpectations = () => {
  const clock = createRealClock()
  const expected = new Map<number, Expected>()
  let last = ROOT_NUMBER - 1
  return {
    add(kill: (pid: number) => void): { number: number; process: Promise<ForkedProcess> } {
      last += 1
      const number = last
      const { promise, resolve, reject } = Promise.withResolvers<ForkedProcess>()
      const fail = (reason: string): void => {
        expected.delete(number)
        reject(new RemediumError('cluster-lost', `A process was not forked: ${reason}`))
      }
      const timer = clock.after(CONNECT_MS, () => fail(`it did not connect in ${CONNECT_MS / 1000} s.`))
      expected.set(number, { resolve, reject: fail, kill })
      return { number, process: promise.finally(() => timer.cancel()) }
    },
    take(number: number): Expected | undefined {
      const found = expected.get(number)
      expected.delete(number)
      return found
    },
    fail: (number: number, reason: string): void => expected.get(number)?.reject(reason),
  }
}

type Expectations = ReturnType<typeof createExpectations>

const toProcess = (
  socket: Socket,
  pid: number,
  { kill }: Expected,
  expectations: Expectations,
): { process: ForkedProcess; receive(message: FromFork): void } => {
  const ordered = new Set<number>()
  const early: unknown[] = []
  let listener: ((message: unknown) => void) | undefined
  let isOpen = true
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      isOpen = false
      for (const number of ordered) expectations.fail(number, 'its parent has ended.')
      resolve()
    })
  })
  const write = (message: ToFork): void => {
    if (isOpen) socket.write(`${JSON.stringify(message)}\n`)
  }
  const process: ForkedProcess = {
    pid,
    ended,
    onMessage(next) {
      listener = next
      for (const message of early.splice(0)) next(message)
    },
    send: (message) => write({ kind: 'message', message }),
    async fork(order) {
      const { number, process: forked } = expectations.add((child) => write({ kind: 'end', pid: child }))
      if (!isOpen) expectations.fail(number, 'its parent has ended.')
      ordered.add(number)
      write({ kind: 'fork', number, order })
      return await forked.finally(() => ordered.delete(number))
    },
    end() {
      kill(pid)
      socket.destroy()
    },
  }
  return {
    process,
    receive(message) {
      if (message.kind === 'fork-failed') expectations.fail(message.number, message.reason)
      else if (message.kind === 'message' && listener === undefined) early.push(message.message)
      else if (message.kind === 'message') listener?.(message.message)
    },
  }
}

const accept = (socket: Socket, expectations: Expectations): void => {
  let connected: ReturnType<typeof toProcess> | undefined
  const receive = createMessageReader<FromFork>((message) => {
    if (connected !== undefined) return connected.receive(message)
    const expected = message.kind === 'hello' ? expectations.take(message.number) : undefined
    if (message.kind !== 'hello' || expected === undefined) return void socket.destroy()
    connected = toProcess(socket, message.pid, expected, expectations)
    expected.resolve(connected.process)
  })
  socket.on('data', receive)
  // `close` follows.
  socket.on('error', () => {})
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      chmodSync(path, 0o600)
      resolve()
    })
  })

const killGroup = (child: ChildProcess): void => {
  try {
    // The group contains the forks.
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // All have ended.
  }
}

/** Resolves when the first process has connected. */
export const startForks = async (options: ForkRootOptions): Promise<ForkRoot> => {
  const folder = openSync(options.folder, 'r')
  // The kernel limits addresses of sockets to 107 bytes, and the path of a folder can be longer.
  const path = `/proc/${process.pid}/fd/${folder}/${SOCKET_NAME}`
  const expectations = createExpectations()
  const server = createServer((socket) => accept(socket, expectations))
  await listen(server, path)
  const child = spawn(process.execPath, [...FORKING_FLAGS, ...options.flags, options.program, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: options.environment,
    detached: true,
  })
  const root = expectations.add(() => killGroup(child))
  const exited = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('exit', () => resolve())
  })
  void exited.then(() => expectations.fail(root.number, 'it ended at its start.'))
  const close = lazily(async (): Promise<void> => {
    killGroup(child)
    await exited
    server.close()
    rmSync(join(options.folder, SOCKET_NAME), { force: true })
    closeSync(folder)
  })
  try {
    return { ...(await root.process), close }
  } catch (error) {
    await close()
    throw error
  }
}
