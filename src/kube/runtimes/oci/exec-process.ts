/** A further process in a running container, started by the OCI runtime and then waited for by this one. */
import { closeSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Clock } from '../../../kit/index.ts'
import {
  type ChildReaper,
  childReaper,
  createPipe,
  createTerminalReceiver,
  readFrom,
  type TerminalReceiver,
  writeTo,
} from '../../../linux/index.ts'
import { parsePid, runOciProgram } from '../../../oci/index.ts'
import type { ContainerInstance, Terminal } from './container-instance.ts'
import { killSession } from './kill-session.ts'

/** The program that starts processes in containers. */
export interface OciProgram {
  clock: Clock
  /** `runc` where absent. */
  program?: string
  /** Where it keeps what it knows of containers: its `--root`. The path is short, as those of sockets must be. */
  runcRoot: string
  marker: Readonly<Record<string, string>>
}

export interface ExecProcess {
  /** Where it was asked for and there is no terminal. */
  readonly stdin: Writable | undefined
  /** Of a terminal too. */
  readonly stdout: Readable
  readonly stderr: Readable | undefined
  readonly terminal: Terminal | undefined
  /** Its exit code; others that it started may still hold its output. */
  readonly ended: Promise<number>
  /** Kills it and all that it started. */
  kill(): void
}

export interface ExecRequest {
  command: readonly string[]
  tty: boolean
  stdin: boolean
  /** Gives up while it is being started; afterwards there is `kill`. */
  signal: AbortSignal
}

/** It could not be started; the message is the OCI runtime's. */
export class ExecFailure extends Error {}

/** The container has ended, perhaps just now. */
export class ContainerEnded extends Error {}

/** What the OCI runtime says of a container that is no more. */
const ENDED = /cannot exec in a (stopped container|container that has stopped)|container .*does not exist/

const failureOf = (message: string, { pid }: ContainerInstance): Error =>
  pid === undefined || ENDED.test(message)
    ? new ContainerEnded('failed to exec in container: container is in CONTAINER_EXITED state')
    : new ExecFailure(message)

let started = 0

interface Files {
  pid: string
  receiver: TerminalReceiver | undefined
}

const argumentsOf = (
  { program = 'runc', runcRoot }: OciProgram,
  { id }: ContainerInstance,
  { command }: ExecRequest,
  { pid, receiver }: Files,
): string[] => [
  ...['--root', runcRoot],
  // What goes wrong is told on stderr; by runc once and plainly when its log goes elsewhere, by crun only here.
  ...(program.endsWith('crun') ? [] : ['--log', '/dev/null']),
  ...['exec', '--detach', '--pid-file', pid],
  ...(receiver === undefined ? [] : ['--tty', '--console-socket', receiver.path, '--env', 'TERM=xterm']),
  ...[id, ...command],
]

type Stdio = [number | 'ignore', number | 'ignore', number]

/** Its own ends are closed here once it has them. */
const spawnWith = (
  { clock, program = 'runc', marker }: OciProgram,
  args: readonly string[],
  stdio: Stdio,
  signal: AbortSignal,
): Promise<number> => {
  const running = runOciProgram({ clock, program, marker, args, stdio, signal })
  for (const fd of stdio) if (fd !== 'ignore') closeSync(fd)
  return running
}

const takePid = (path: string): number => {
  const pid = parsePid(readFileSync(path, 'utf8'))
  rmSync(path)
  return pid
}

const follow = (
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

/** Rejects with ExecFailure or ContainerEnded, and with others where it takes too long. */
export const startExec = async (
  oci: OciProgram,
  instance: ContainerInstance,
  request: ExecRequest,
): Promise<ExecProcess> => {
  started += 1
  // Before there is an orphan.
  const reaper = childReaper()
  const receiver = request.tty ? createTerminalReceiver(oci.runcRoot, oci.clock) : undefined
  const files = { pid: join(oci.runcRoot, `exec-${process.pid}-${started}`), receiver }
  const args = argumentsOf(oci, instance, request, files)
  const input = request.stdin && !request.tty ? createPipe() : undefined
  const output = request.tty ? undefined : createPipe()
  const errors = createPipe()
  const stdio: Stdio = [input?.readEnd ?? 'ignore', output?.writeEnd ?? 'ignore', errors.writeEnd]
  // Nothing is taken from stderr until it is known whose words they are: the runtime's or the program's.
  const streams = {
    stdin: input === undefined ? undefined : writeTo(input.writeEnd),
    stdout: output === undefined ? undefined : readFrom(output.readEnd),
    stderr: readFrom(errors.readEnd),
  }
  for (const stream of Object.values(streams)) stream?.on('error', () => {})
  const giveUp = (): void => {
    receiver?.close()
    rmSync(files.pid, { force: true })
    for (const stream of Object.values(streams)) stream?.destroy()
  }
  try {
    const code = await spawnWith(oci, args, stdio, request.signal)
    if (code !== 0) throw failureOf((await text(streams.stderr)).trim(), instance)
    const followed = follow(reaper, instance, takePid(files.pid))
    if (receiver === undefined)
      return { ...streams, stdout: streams.stdout!, terminal: undefined, ...followed }
    const terminal = await receiver.terminal
    streams.stderr.destroy()
    return { stdin: undefined, stdout: terminal.output, stderr: undefined, terminal, ...followed }
  } catch (error) {
    giveUp()
    throw error
  }
}
