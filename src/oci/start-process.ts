/** Starts the first process of a container by an OCI runtime program, which is gone again when that runs. */
import { closeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../kit/index.ts'
import {
  childReaper,
  createPipe,
  createTerminalReceiver,
  type PseudoTerminal,
  readFrom,
  writeTo,
} from '../linux/index.ts'

import { parsePid, runOciProgram } from './oci-program.ts'

export interface ProcessRequest {
  /** `runc`, or another that takes the same arguments. */
  program: string
  /** Where the program keeps its own state, and sockets may lie: the path is short, wherever the cluster's folder is. */
  stateFolder: string
  marker: Readonly<Record<string, string>>
  /** With a config.json in it. */
  bundle: string
  id: string
  stdin: boolean
  tty: boolean
  clock: Clock
  /** Nobody needs it any more. */
  signal: AbortSignal
  /** The path of the mount namespace in which the program looks for what it mounts; this process's own where absent. */
  mountNamespace?: string | undefined
  /** Gives it a third output, as its descriptor 3. */
  tells?: boolean | undefined
  /** Looks at the container when all is mounted and nothing of it runs yet; throws to refuse it. */
  check?: ((pid: number) => void) | undefined
}

export interface StartedProcess {
  /** As the host numbers it: an orphan of ours, to be waited for. */
  pid: number
  outputs: readonly { stream: 'stdout' | 'stderr'; source: Readable }[]
  /** What it writes to its descriptor 3, where it has one. */
  told: Readable | undefined
  stdin: Writable | undefined
  terminal: PseudoTerminal | undefined
}

const messageIn = (line: string): string => {
  try {
    return (JSON.parse(line) as { msg: string }).msg
  } catch {
    // Cut short, as on a full disk.
    return line
  }
}

/** The last error in the program's log; each line is JSON. */
const readProblem = async (log: string): Promise<string> => {
  const text = await readFile(log, 'utf8').catch(() => '')
  const errors = text
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))
    .map(messageIn)
  return errors.at(-1) ?? 'it said nothing'
}

const runProgram = (
  { clock, program, stateFolder, marker, bundle, signal, mountNamespace }: ProcessRequest,
  stdio: (number | 'ignore')[],
  args: readonly string[],
): Promise<number> => {
  const log = ['--log', join(bundle, 'log.json'), '--log-format', 'json']
  const whole = ['--root', stateFolder, ...log, ...args]
  const common = { clock, marker, signal, stdio }
  return mountNamespace === undefined
    ? runOciProgram({ ...common, program, args: whole })
    : runOciProgram({ ...common, program: 'nsenter', args: [`--mount=${mountNamespace}`, program, ...whole] })
}

/** Makes the container with these descriptors as its own, and starts it; gives its first process. */
const run = async (
  request: ProcessRequest,
  stdio: (number | 'ignore')[],
  extra: readonly string[],
): Promise<number> => {
  const { bundle, id, check } = request
  const verb = check === undefined ? ['run', '--detach'] : ['create']
  const files = ['--pid-file', join(bundle, 'pid'), '--bundle', bundle]
  const made = await runProgram(request, stdio, [...verb, ...files, ...extra, id])
  if (made !== 0) throw new Error(await readProblem(join(bundle, 'log.json')))
  const pid = parsePid(await readFile(join(bundle, 'pid'), 'utf8'))
  if (check === undefined) return pid
  try {
    check(pid)
    const started = await runProgram(request, ['ignore', 'ignore', 'ignore'], ['start', id])
    if (started !== 0) throw new Error(await readProblem(join(bundle, 'log.json')))
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
    const pid = await run(request, ['ignore', 'ignore', 'ignore'], ['--console-socket', receiver.path])
    const terminal = await receiver.terminal
    const outputs = [{ stream: 'stdout' as const, source: terminal.output }]
    return { pid, outputs, told: undefined, stdin: undefined, terminal }
  } catch (error) {
    receiver.close()
    throw error
  }
}

const startWithPipes = async (request: ProcessRequest): Promise<StartedProcess> => {
  const stdout = createPipe()
  const stderr = createPipe()
  const stdin = request.stdin ? createPipe() : undefined
  const told = request.tells === true ? createPipe() : undefined
  const written = [stdout, stderr, ...(told === undefined ? [] : [told])]
  const theirs = [...written.map(({ writeEnd }) => writeEnd), ...(stdin === undefined ? [] : [stdin.readEnd])]
  const ours = [...written.map(({ readEnd }) => readEnd), ...(stdin === undefined ? [] : [stdin.writeEnd])]
  const running = run(
    request,
    [stdin?.readEnd ?? 'ignore', ...written.map(({ writeEnd }) => writeEnd)],
    told === undefined ? [] : ['--preserve-fds', '1'],
  )
  for (const end of theirs) closeSync(end)
  let pid: number
  try {
    pid = await running
  } catch (error) {
    for (const end of ours) closeSync(end)
    throw error
  }
  const input = stdin === undefined ? undefined : writeTo(stdin.writeEnd)
  // Who no longer listens says so by ending.
  input?.on('error', () => {})
  return {
    pid,
    outputs: [
      { stream: 'stdout', source: readFrom(stdout.readEnd) },
      { stream: 'stderr', source: readFrom(stderr.readEnd) },
    ],
    told: told === undefined ? undefined : readFrom(told.readEnd),
    stdin: input,
    terminal: undefined,
  }
}

/** Rejects in the words of the program when it could not be started; nothing runs then. */
export const startProcess = (request: ProcessRequest): Promise<StartedProcess> =>
  request.tty ? startWithTerminal(request) : startWithPipes(request)
