/**
 * Starts a long-running untrusted program that exchanges lines. It runs as the user nobody, in separate namespaces and
 * with separate limits. It sees the programs of the machine and chosen folders, all read-only, and reaches
 * only other machines.
 */
import { closeSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { createRealClock, lazily } from '#kit'
import {
  type Cgroups,
  childReaper,
  createCgroups,
  createPipe,
  enlargePipe,
  type Pipe,
  type ProcessEnd,
  writeTo,
} from '#machine/linux'
import { type StartedProcess, startProcess } from '#machine/oci'
import { checkSandboxMachine, toMachineError } from './check-sandbox-machine.ts'
import { kernelFileMounts } from './kernel-files.ts'
import { createOutwardNetwork, type OutwardNetwork, type ServiceAddress } from './outward-network.ts'
import { type ProgramLimits, programSpec } from './program-spec.ts'
import { createProgramRoot, type ProgramView } from './program-view.ts'
import { createHome, type SandboxHome, sweepSandboxes } from './sandbox-home.ts'

export interface IsolatedProgramRequest {
  /** The program and its arguments. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly view: ProgramView
  readonly limits: ProgramLimits
  /** Services of this machine that the program may connect to. */
  readonly reach: readonly ServiceAddress[]
}

export interface IsolatedProgram {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the program has ended. */
  readonly ended: Promise<ProcessEnd>
  /** Whether the program exists and was started. Otherwise standard error says why. */
  readonly isStarted: boolean
  /** Whether a process was killed because of the memory limit. */
  isOutOfMemory(): boolean
  /** Kills all its processes; `close` is still needed. */
  kill(): void
  /** Kills all its processes, and removes its folders and its control group. */
  close(): Promise<void>
}

/** The first line of the output. The script writes it before the program starts, so it cannot be forged. */
const STARTED = 'started'
/**
 * Process 1 checks that the program and its interpreter exist, starts the program and waits for it. It closes
 * its copies of the pipes, so that Remedium detects when the program closes them.
 */
const INIT_SCRIPT = `fail() { echo missing; echo "$1" >&2; exit 127; }
found=$(command -v -- "$1") || fail "$1: not found"
case $found in */*)
  [ ! -d "$found" ] && [ -x "$found" ] || fail "$1: Permission denied"
  IFS= read -r line < "$found"
  case $line in '#!'*)
    interpreter=$(set -f; set -- \${line#??}; echo "$1")
    [ -x "$interpreter" ] || fail "$1: its interpreter $interpreter is not found";;
  esac;;
esac
echo ${STARTED}
exec 3<&0
"$@" <&3 3<&- & exec 0<&- 1>&- 2>&- 3<&-; wait $!`

interface ProgramResources {
  readonly home: SandboxHome
  readonly network: OutwardNetwork
  readonly cgroups: Cgroups
  readonly cgroup: string
  readonly input: Pipe
}

const startProgram = (
  { command, environment, view, limits }: IsolatedProgramRequest,
  { home, network, cgroups, cgroup, input }: ProgramResources,
): Promise<StartedProcess> => {
  const root = join(home.folder, 'root')
  const bundle = join(home.folder, 'bundle')
  const stateFolder = join(home.folder, 'state')
  createProgramRoot(root)
  for (const folder of [bundle, stateFolder]) mkdirSync(folder, { mode: 0o700 })
  const spec = programSpec({
    command: ['/bin/sh', '-c', INIT_SCRIPT, 'sh', ...command],
    environment,
    view,
    limits,
    root,
    kernelFiles: kernelFileMounts(join(home.folder, 'kernel')),
    networkPath: network.path,
    cgroup,
    cgroups,
  })
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(spec), { mode: 0o600 })
  // The runtime program creates mount points, which the user nobody must be able to enter.
  const mask = process.umask(0o022)
  try {
    return startProcess({
      program: 'runc',
      stateFolder,
      bundle,
      id: 'program',
      clock: createRealClock({ keepsAlive: true }),
      marker: home.marker,
      stdin: false,
      input,
      tty: false,
      signal: new AbortController().signal,
    })
  } finally {
    process.umask(mask)
  }
}

/** Reads a line and leaves the rest; undefined if the stream ends first. */
const readLine = async (stream: Readable): Promise<string | undefined> => {
  let line = ''
  for (;;) {
    const byte = stream.read(1) as Buffer | null
    if (byte !== null && byte.toString() === '\n') return line
    if (byte !== null) line += byte.toString()
    else if (stream.readableEnded || stream.destroyed) return undefined
    else
      await new Promise<void>((resolve) => {
        for (const event of ['readable', 'end', 'close']) stream.once(event, () => resolve())
      })
  }
}

const toProgram = async (
  started: StartedProcess,
  parts: ProgramResources,
  release: () => Promise<void>,
): Promise<IsolatedProgram> => {
  const { pid, outputs } = started
  const { cgroups, cgroup, input } = parts
  const stdin = writeTo(input.writeEnd)
  const ended = new Promise<ProcessEnd>((resolve) => childReaper().adopt(pid, resolve))
  const streamOf = (name: string): Readable => outputs.find(({ stream }) => stream === name)!.source
  const stdout = streamOf('stdout')
  return {
    stdin,
    stdout,
    stderr: streamOf('stderr'),
    ended,
    isStarted: (await readLine(stdout)) === STARTED,
    isOutOfMemory: () => cgroups.oomKills(cgroup) > 0,
    kill: () => cgroups.kill(cgroup),
    close: lazily(async () => {
      cgroups.kill(cgroup)
      await ended
      stdin.destroy()
      for (const { source } of outputs) source.destroy()
      closeSync(input.readEnd)
      await release()
    }),
  }
}

const openProgram = async (request: IsolatedProgramRequest, home: SandboxHome): Promise<IsolatedProgram> => {
  const network = await createOutwardNetwork({ reach: request.reach })
  const release = async (): Promise<void> => {
    network.close()
    await home.remove()
  }
  const input = createPipe()
  enlargePipe(input)
  const parts: ProgramResources = {
    home,
    network,
    cgroups: createCgroups(),
    cgroup: `${home.cgroup}/program`,
    input,
  }
  try {
    return await toProgram(await startProgram(request, parts), parts, release)
  } catch (error) {
    for (const end of [input.readEnd, input.writeEnd]) closeSync(end)
    await release()
    throw error
  }
}

/** Rejects with `tool-missing` or `not-permitted` if the machine lacks a requirement. */
export const startIsolatedProgram = async (request: IsolatedProgramRequest): Promise<IsolatedProgram> => {
  checkSandboxMachine()
  let home: SandboxHome | undefined
  try {
    await sweepSandboxes()
    home = createHome()
    return await openProgram(request, home)
  } catch (error) {
    await home?.remove()
    throw toMachineError(error)
  }
}
