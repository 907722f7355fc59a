/** Starts the first process of a container by an OCI runtime program. */
import { closeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '#kit'
import {
  childReaper,
  createPipe,
  createTerminalReceiver,
  type Pipe,
  type PseudoTerminal,
  readFrom,
  writeTo,
} from '#machine/linux'
import { parsePid, runOciProgram } from './oci-program.ts'

export interface ProcessRequest {
  /** `runc` or a compatible program. */
  program: string
  /** The state folder of the program. The path must be short, because sockets are created in it. */
  stateFolder: string
  marker: Readonly<Record<string, string>>
  /** A folder with a config.json. */
  bundle: string
  id: string
  stdin: boolean
  /** A pipe of the caller that becomes the standard input. The caller writes to it and closes it. */
  input?: Pipe | undefined
  tty: boolean
  clock: Clock
  /** Aborts the start. */
  signal: AbortSignal
  /** The path of the mount namespace in which the program resolves mount sources; that of this process by default. */
  mountNamespace?: string | undefined
  /** Adds a third output as descriptor 3. */
  hasMessages?: boolean | undefined
  /** Called after all mounts and before the container's program runs; throws to reject the container. */
  check?: ((pid: number) => void) | undefined
}

export interface StartedProcess {
  /** The PID on the host. The process is an orphan, which the caller must adopt. */
  pid: number
  outputs: readonly { stream: 'stdout' | 'stderr'; source: Readable }[]
  /** The output of descriptor 3, if requested. */
  messages: Readable | undefined
  stdin: Writable | undefined
  terminal: PseudoTerminal | undefined
}

const messageIn = (line: string): string => {
  try {
    return (JSON.parse(line) as { msg: string }).msg
  } catch {
    // Truncated, for example on a full disk.
    return line
  }
}

/** The last error in the program's log; each line is JSON. */
const readError = async (log: string): Promise<string> => {
  const text = await readFile(log, 'utf8').catch(() => '')
  const errors = text
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))
    .map(messageIn)
  return errors.at(-1) ?? 'no error message'
}

const runProgram = (
  { clock, program, stateFolder, marker, bundle, signal, mountNamespace }: ProcessRequest,
  stdio: (number | 'ignore')[],
  args: readonly string[],
): Promise<number> => {
  const log = ['--log', join(bundle, 'log.json'), '--log-format', 'json']
  const fullArguments = ['--root', stateFolder, ...log, ...args]
  const shared = { clock, marker, signal, stdio }
  return mountNamespace === undefined
    ? runOciProgram({ ...shared, program, args: fullArguments })
    : runOciProgram({
        ...shared,
        program: 'nsenter',
        args: [`--mount=${mountNamespace}`, program, ...fullArguments],
      })
}

/** Creates and starts the container with these descriptors. Resolves with the PID of its first process. */
const startContainer = async (
  request: ProcessRequest,
  stdio: (number | 'ignore')[],
  extra: readonly string[],
): Promise<number> => {
  const { bundle, id, check } = request
  const verb = check === undefined ? ['run', '--detach'] : ['create']
  const files = ['--pid-file', join(bundle, 'pid'), '--bundle', bundle]
  const exitCode = await runProgram(request, stdio, [...verb, ...files, ...extra, id])
  if (exitCode !== 0) throw new Error(await readError(join(bundle, 'log.json')))
  const pid = parsePid(await readFile(join(bundle, 'pid'), 'utf8'))
  if (check === undefined) return pid
  try {
    check(pid)
    const started = await runProgram(request, ['ignore', 'ignore', 'ignore'], ['start', id])
    if (started !== 0) throw new Error(await readError(join(bundle, 'log.json')))
    return pid
  } catch (error) {
    process.kill(pid, 'SIGKILL')
    await new Promise<unknown>((resolve) => childReaper().adopt(pid, resolve))
    throw error
  }
}

const startWithTerminal = async (request: ProcessRequest): Promise<StartedProcess> => {
  const receiver = createTerminalReceiver(request.stateFolder, request.clock)
  try {
    const pid = await startContainer(
      request,
      ['ignore', 'ignore', 'ignore'],
      ['--console-socket', receiver.path],
    )
    const terminal = await receiver.terminal
    const outputs = [{ stream: 'stdout' as const, source: terminal.output }]
    return { pid, outputs, messages: undefined, stdin: undefined, terminal }
  } catch (error) {
    receiver.close()
    throw error
  }
}

const startWithPipes = async (request: ProcessRequest): Promise<StartedProcess> => {
  const stdout = createPipe()
  const stderr = createPipe()
  const stdin = request.stdin ? createPipe() : undefined
  const messages = request.hasMessages === true ? createPipe() : undefined
  const outputPipes = [stdout, stderr, ...(messages === undefined ? [] : [messages])]
  const childEnds = [
    ...outputPipes.map(({ writeEnd }) => writeEnd),
    ...(stdin === undefined ? [] : [stdin.readEnd]),
  ]
  const parentEnds = [
    ...outputPipes.map(({ readEnd }) => readEnd),
    ...(stdin === undefined ? [] : [stdin.writeEnd]),
  ]
  const starting = startContainer(
    request,
    [(request.input ?? stdin)?.readEnd ?? 'ignore', ...outputPipes.map(({ writeEnd }) => writeEnd)],
    messages === undefined ? [] : ['--preserve-fds', '1'],
  )
  for (const end of childEnds) closeSync(end)
  let pid: number
  try {
    pid = await starting
  } catch (error) {
    for (const end of parentEnds) closeSync(end)
    throw error
  }
  const input = stdin === undefined ? undefined : writeTo(stdin.writeEnd)
  // A process that closes its input is not an error.
  input?.on('error', () => {})
  return {
    pid,
    outputs: [
      { stream: 'stdout', source: readFrom(stdout.readEnd) },
      { stream: 'stderr', source: readFrom(stderr.readEnd) },
    ],
    messages: messages === undefined ? undefined : readFrom(messages.readEnd),
    stdin: input,
    terminal: undefined,
  }
}

/** Rejects with the program's message if the container could not be started; no process is left running. */
export const startProcess = (request: ProcessRequest): Promise<StartedProcess> =>
  request.tty ? startWithTerminal(request) : startWithPipes(request)
