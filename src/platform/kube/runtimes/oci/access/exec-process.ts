/** Starts an additional process in a running container with the OCI runtime program, and reaps it. */
import { closeSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Clock } from '#kit'
import {
  type ChildReaper,
  childReaper,
  createPipe,
  createTerminalReceiver,
  readFrom,
  type TerminalReceiver,
  writeTo,
} from '#machine/linux'
import { parsePid, runOciProgram } from '#machine/oci'
import type { ContainerInstance, Terminal } from '../containers/container-instance.ts'
import { killSession } from './kill-session.ts'

/** The program that starts processes in containers. */
export interface OciProgram {
  clock: Clock
  /** `runc` by default. */
  program?: string
  /** Its state folder, `--root`. The path must be short because sockets are created in it. */
  runcRoot: string
  marker: Readonly<Record<string, string>>
}

export interface ExecProcess {
  /** Set if it was requested and there is no terminal. */
  readonly stdin: Writable | undefined
  /** The output of the process or of its terminal. */
  readonly stdout: Readable
  readonly stderr: Readable | undefined
  readonly terminal: Terminal | undefined
  /** Resolves with the exit code; child processes may still hold the output open. */
  readonly ended: Promise<number>
  /** Kills the process and its descendants. */
  kill(): void
}

export interface ExecRequest {
  command: readonly string[]
  tty: boolean
  stdin: boolean
  /** Aborts the start only; use `kill` afterwards. */
  signal: AbortSignal
}

/** The process could not be started; the message is the OCI runtime's. */
export class ExecFailure extends Error {}

/** The container has ended. */
export class ContainerEnded extends Error {}

/** The OCI runtime's messages for a container that has ended. */
const ENDED = /cannot exec in a (stopped container|container that has stopped)|container .*does not exist/

const toExecError = (message: string, { pid }: ContainerInstance): Error =>
  pid === undefined || ENDED.test(message)
    ? new ContainerEnded('failed to exec in container: container is in CONTAINER_EXITED state')
    : new ExecFailure(message)

/** Makes the names of pid files unique. */
let execCount = 0

interface ExecFiles {
  pid: string
  receiver: TerminalReceiver | undefined
}

const argumentsOf = (
  { program = 'runc', runcRoot }: OciProgram,
  { id }: ContainerInstance,
  { command }: ExecRequest,
  { pid, receiver }: ExecFiles,
): string[] => [
  ...['--root', runcRoot],
  // Errors are read from stderr: runc writes plain text there only if its log goes elsewhere.
  ...(program.endsWith('crun') ? [] : ['--log', '/dev/null']),
  ...['exec', '--detach', '--pid-file', pid],
  ...(receiver === undefined ? [] : ['--tty', '--console-socket', receiver.path, '--env', 'TERM=xterm']),
  ...[id, ...command],
]

type Stdio = [number | 'ignore', number | 'ignore', number]

/** Runs the program, and closes this process's copies of the descriptors that it has inherited. */
const runWithStdio = (
  { clock, program = 'runc', marker }: OciProgram,
  args: readonly string[],
  stdio: Stdio,
  signal: AbortSignal,
): Promise<number> => {
  const running = runOciProgram({ clock, program, marker, args, stdio, signal })
  for (const fd of stdio) if (fd !== 'ignore') closeSync(fd)
  return running
}

const readAndRemovePid = (path: string): number => {
  const pid = parsePid(readFileSync(path, 'utf8'))
  rmSync(path)
  return pid
}

const superviseProcess = (
  reaper: ChildReaper,
  instance: ContainerInstance,
  pid: number,
): Pick<ExecProcess, 'ended' | 'kill'> => {
  let running = true
  const ended = new Promise<number>((resolve) => {
    reaper.adopt(pid, ({ exitCode }) => {
      running = false
      resolve(exitCode)
    })
  })
  return {
    ended,
    kill() {
      if (running) killSession(instance.cgroup, pid)
    },
  }
}

/** Rejects with ExecFailure or ContainerEnded, or with another error after a timeout. */
export const startExec = async (
  oci: OciProgram,
  instance: ContainerInstance,
  request: ExecRequest,
): Promise<ExecProcess> => {
  execCount += 1
  // The reaper must exist before the runtime program leaves the process as an orphan.
  const reaper = childReaper()
  const receiver = request.tty ? createTerminalReceiver(oci.runcRoot, oci.clock) : undefined
  const files = { pid: join(oci.runcRoot, `exec-${process.pid}-${execCount}`), receiver }
  const args = argumentsOf(oci, instance, request, files)
  const input = request.stdin && !request.tty ? createPipe() : undefined
  const output = request.tty ? undefined : createPipe()
  const errors = createPipe()
  const stdio: Stdio = [input?.readEnd ?? 'ignore', output?.writeEnd ?? 'ignore', errors.writeEnd]
  // stderr is not read before the start has ended: it may hold the runtime's error or the program's output.
  const streams = {
    stdin: input === undefined ? undefined : writeTo(input.writeEnd),
    stdout: output === undefined ? undefined : readFrom(output.readEnd),
    stderr: readFrom(errors.readEnd),
  }
  for (const stream of Object.values(streams)) stream?.on('error', () => {})
  const cleanUp = (): void => {
    receiver?.close()
    rmSync(files.pid, { force: true })
    for (const stream of Object.values(streams)) stream?.destroy()
  }
  try {
    const code = await runWithStdio(oci, args, stdio, request.signal)
    if (code !== 0) throw toExecError((await text(streams.stderr)).trim(), instance)
    const supervised = superviseProcess(reaper, instance, readAndRemovePid(files.pid))
    if (receiver === undefined)
      return { ...streams, stdout: streams.stdout!, terminal: undefined, ...supervised }
    const terminal = await receiver.terminal
    streams.stderr.destroy()
    return { stdin: undefined, stdout: terminal.output, stderr: undefined, terminal, ...supervised }
  } catch (error) {
    cleanUp()
    throw error
  }
}
