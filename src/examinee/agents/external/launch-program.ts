/** Starts the process of an external agent: isolated, or as the user of Remedium if the operator trusts it. */
import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { createRealClock, sleep } from '#kit'
import { createPipe, enlargePipe, writeTo } from '#machine/linux'
import { RemediumError } from '#spec'
import { exceedsSize } from './exceeds-size.ts'
import type { Isolation } from './isolation.ts'

/** The interval between measurements of the memory folder. */
const MEMORY_CHECK_MS = 500

export interface LaunchedProgram {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves with `exit code 1` or `signal SIGKILL`. */
  readonly ended: Promise<string>
  /** Whether the program exists and was started. Otherwise standard error says why. */
  readonly isStarted: boolean
  /** The limit that it has exceeded, in words; undefined if none. */
  exceededLimit(): string | undefined
  /** Kills its processes, and frees its resources. */
  close(): Promise<void>
}

export interface Launch {
  readonly path: string
  readonly args: readonly string[]
  /** The working directory; by default that of Remedium. */
  readonly folder: string | undefined
  /** Undefined for a trusted program. */
  readonly isolation: Isolation | undefined
}

/** Blames the operator: the program would fail to start in every episode. */
export const toStartError = (reason: string, cause?: unknown): RemediumError =>
  new RemediumError('tool-missing', `The program of the external agent cannot be started: ${reason}.`, {
    blame: 'operator',
    cause,
    hint: 'The program sees the folders of the system, its working directory and the folders that its command line names. Name others with --set external.folders=FOLDER.',
  })

const describeExceededMemory = ({ maxBytes }: NonNullable<Isolation['memory']>): string =>
  `its memory folder contains more than ${maxBytes / 2 ** 20} MiB`

/** Measures the memory folder until `ended` resolves. Calls `onExceeded` once if it exceeds its limit. */
const watchMemory = async (
  { folder, maxBytes }: NonNullable<Isolation['memory']>,
  ended: Promise<unknown>,
  onExceeded: () => void,
): Promise<void> => {
  const clock = createRealClock()
  let isRunning = true
  void ended.then(() => {
    isRunning = false
  })
  while (isRunning) {
    const isExceeded = await exceedsSize(folder, maxBytes)
    if (isExceeded && isRunning) return onExceeded()
    await Promise.race([ended, sleep(clock, MEMORY_CHECK_MS)])
  }
}

/** Rejects, and blames the agent, if the memory folder exceeds its limit: the agent filled it earlier. */
const launchIsolated = async (command: readonly string[], isolation: Isolation): Promise<LaunchedProgram> => {
  const { memory, limits } = isolation
  if (memory !== undefined && (await exceedsSize(memory.folder, memory.maxBytes)))
    throw new Error(`The program cannot be started: ${describeExceededMemory(memory)} (${memory.folder}).`)
  const program = await isolation.start(command)
  let isMemoryExceeded = false
  if (memory !== undefined)
    void watchMemory(memory, program.ended, () => {
      isMemoryExceeded = true
      program.kill()
    })
  return {
    ...program,
    ended: program.ended.then(({ exitCode }) => `exit code ${exitCode}`),
    exceededLimit() {
      if (memory !== undefined && isMemoryExceeded) return describeExceededMemory(memory)
      return program.isOutOfMemory()
        ? `it needed more than ${limits.memoryBytes / 2 ** 20} MiB of memory`
        : undefined
    },
  }
}

const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // No process of the group is running.
  }
}

/** Rejects if the program does not exist. */
const launchTrusted = async ({ path, args, folder }: Launch): Promise<LaunchedProgram> => {
  const input = createPipe()
  enlargePipe(input)
  const child = spawn(path, args, {
    stdio: [input.readEnd, 'pipe', 'pipe'],
    detached: true,
    cwd: folder,
  })
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => {
      for (const end of [input.readEnd, input.writeEnd]) closeSync(end)
      reject(toStartError(cause.message, cause))
    })
  })
  const stdin = writeTo(input.writeEnd)
  const [stdout, stderr] = [child.stdout!, child.stderr!]
  return {
    stdin,
    stdout,
    stderr,
    ended,
    isStarted: true,
    exceededLimit: () => undefined,
    async close() {
      killGroup(child.pid)
      await ended
      for (const stream of [stdin, stdout, stderr]) stream.destroy()
      closeSync(input.readEnd)
    },
  }
}

/** Resolves when the program, or the shell that starts it, is running. */
export const launchProgram = (launch: Launch): Promise<LaunchedProgram> =>
  launch.isolation === undefined
    ? launchTrusted(launch)
    : launchIsolated([launch.path, ...launch.args], launch.isolation)
