/** Starts a container with runc without a kubelet, for tests of exec, attach and logs. */
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '#kit'
import {
  childReaper,
  createCgroups,
  createPipe,
  createTerminalReceiver,
  readFrom,
  runProgram,
  writeTo,
} from '#machine/linux'
import type { ContainerExit } from '#platform/kube/ports'
import { waitForClose } from '../access/forward-streams.ts'
import type { ContainerInstance, OutputStream, Terminal } from '../containers/container-instance.ts'
import { createContainerLog } from '../logs/container-log.ts'

export interface BareContainerOptions {
  clock: Clock
  /** Holds all files of the container. */
  folder: string
  container: Partial<Container> & { command: string[] }
  networkNamespacePath?: string
  attempt?: number
}

export interface BareContainer extends ContainerInstance {
  /** Kills the container and removes its files. */
  remove(): Promise<void>
}

let created = 0

const SYSTEM_LINKS = ['bin', 'sbin', 'lib', 'lib64']

const mountsOf = (folder: string) => [
  { destination: '/proc', type: 'proc', source: 'proc' },
  {
    destination: '/dev',
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'],
  },
  {
    destination: '/dev/pts',
    type: 'devpts',
    source: 'devpts',
    options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620'],
  },
  {
    destination: '/usr',
    type: 'overlay',
    source: 'overlay',
    options: ['lowerdir=/usr', `upperdir=${folder}/upper`, `workdir=${folder}/work`],
  },
]

const configOf = (options: BareContainerOptions, cgroup: string) => ({
  ociVersion: '1.0.2',
  process: {
    terminal: options.container.tty === true,
    user: { uid: 0, gid: 0 },
    args: options.container.command,
    env: ['PATH=/usr/bin:/bin', 'COLOUR=green'],
    cwd: '/tmp',
  },
  root: { path: 'root' },
  hostname: 'bare',
  mounts: mountsOf(options.folder),
  linux: {
    cgroupsPath: `/${cgroup}`,
    namespaces: [
      { type: 'pid' },
      { type: 'ipc' },
      { type: 'uts' },
      { type: 'mount' },
      options.networkNamespacePath === undefined
        ? { type: 'network' }
        : { type: 'network', path: options.networkNamespacePath },
    ],
  },
})

const writeBundle = (options: BareContainerOptions, cgroup: string): void => {
  const { folder } = options
  const root = join(folder, 'root')
  for (const name of ['usr', 'proc', 'dev', 'sys', 'tmp', 'etc'])
    mkdirSync(join(root, name), { recursive: true })
  for (const name of SYSTEM_LINKS) symlinkSync(`usr/${name}`, join(root, name))
  mkdirSync(join(folder, 'upper'))
  mkdirSync(join(folder, 'work'))
  writeFileSync(join(folder, 'config.json'), JSON.stringify(configOf(options, cgroup)))
}

interface RuncStreams {
  terminal?: Terminal
  stdin?: Writable
}

const waitForExit = (child: ReturnType<typeof spawn>): Promise<number> =>
  new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))

type OnOutput = (stream: OutputStream, source: Readable) => void

/** Runs runc with a terminal or with pipes; returns its exit code and the streams of the container. */
const runRunc = async (
  { clock, folder, container }: BareContainerOptions,
  args: readonly string[],
  id: string,
  onOutput: OnOutput,
): Promise<RuncStreams & { exitCode: number }> => {
  if (container.tty === true) {
    const receiver = createTerminalReceiver(folder, clock)
    const child = spawn('runc', [...args, '--console-socket', receiver.path, id], { stdio: 'ignore' })
    const exitCode = await waitForExit(child)
    const terminal = await receiver.terminal
    onOutput('stdout', terminal.output)
    return { exitCode, terminal }
  }
  const [input, out, err] = [createPipe(), createPipe(), createPipe()]
  const child = spawn('runc', [...args, id], { stdio: [input.readEnd, out.writeEnd, err.writeEnd] })
  for (const fd of [input.readEnd, out.writeEnd, err.writeEnd]) closeSync(fd)
  onOutput('stdout', readFrom(out.readEnd))
  onOutput('stderr', readFrom(err.readEnd))
  const stdin = writeTo(input.writeEnd)
  stdin.on('error', () => {})
  return { exitCode: await waitForExit(child), stdin }
}

export const startBareContainer = async (options: BareContainerOptions): Promise<BareContainer> => {
  const { clock, folder, container } = options
  // The reaper must exist before runc leaves the first orphan.
  const reaper = childReaper()
  created += 1
  const id = `${process.pid.toString(16)}${created.toString(16)}`.padStart(64, '0')
  const cgroup = `remedium-bare-${process.pid}/${created}`
  writeBundle(options, cgroup)
  const log = createContainerLog({ folder: join(folder, 'logs'), clock })
  const listeners = new Set<(stream: OutputStream, chunk: Uint8Array) => void>()
  const outputs: Promise<unknown>[] = []
  const root = join(folder, '..', 'runc')
  const pidFile = join(folder, 'pid')
  const args = ['--root', root, 'run', '--detach', '--bundle', folder, '--pid-file', pidFile]
  const { exitCode, terminal, stdin } = await runRunc(options, args, id, (stream, source) => {
    source.on('data', (chunk: Buffer) => {
      log.add(stream, chunk)
      for (const listener of listeners) listener(stream, chunk)
    })
    outputs.push(waitForClose(source))
  })
  if (exitCode !== 0) throw new Error(`runc failed: ${await log.tail({ bytes: 1000, lines: 10 })}`)
  let pid: number | undefined = Number(readFileSync(pidFile, 'utf8'))
  const exit = new Promise<ContainerExit>((resolve) => {
    reaper.adopt(pid!, (end) => {
      pid = undefined
      void Promise.all(outputs)
        .then(() => log.end())
        .then(() => resolve({ ...end, reason: end.exitCode === 0 ? 'Completed' : 'Error' }))
    })
  })

  return {
    id,
    podUid: 'uid-1',
    podName: 'box',
    namespace: 'default',
    container: { name: 'main', ...container },
    attempt: options.attempt ?? 0,
    folder,
    writableFolders: [join(folder, 'upper'), join(folder, 'root')],
    cgroup,
    log,
    stdin,
    terminal,
    get pid() {
      return pid
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    ended: exit,
    async remove() {
      const cgroups = createCgroups()
      cgroups.kill(cgroup)
      stdin?.destroy()
      await exit
      terminal?.close()
      await runProgram('runc', ['--root', root, 'delete', '--force', id])
      cgroups.remove(`remedium-bare-${process.pid}`)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
