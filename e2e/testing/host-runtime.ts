/** A container runtime for tests: images are modelled, but every command is a real program on this host. */
import { mkdirSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Clock, Random } from '../../src/kit/index.ts'
import { type ContainerRuntime, createSimulatedRuntime } from '../../src/kube/index.ts'
import { createHostLog, type HostLog } from './host-log.ts'
import { type HostProcess, startHostProcess } from './host-process.ts'

type StartContainer = Parameters<ContainerRuntime['startContainer']>[0]
type StoredPod = StartContainer['pod']

export interface HostRuntimeOptions {
  clock: Clock
  random: Random
  nodeIndex: number
  /** Where containers have their folders. */
  directory: string
}

export interface HostRuntime extends ContainerRuntime {
  /** Kills whatever still runs. */
  close(): Promise<void>
}

/** The main process of a container; the program of an image runs for ever and says nothing. */
interface Main {
  process: HostProcess | undefined
  log: HostLog
  previous: HostLog | undefined
}

const NO_SUCH_PROGRAM = 127
/** Images of this name are in no registry. */
const MISSING = /\bmissing\b/

const ociError = (program: string): string =>
  `OCI runtime exec failed: exec failed: unable to start container process: exec: "${program}": executable file not found in $PATH: unknown\n`

/** Resolves once the connection stands. */
const dial = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => reject(new Error(`dial tcp4 127.0.0.1:${port}: connect: connection refused`)))
  })

export const createHostRuntime = ({
  clock,
  random,
  nodeIndex,
  directory,
}: HostRuntimeOptions): HostRuntime => {
  const mains = new Map<string, Main>()
  const byId = new Map<string, HostProcess>()
  const alive = new Set<HostProcess>()

  const keyOf = (pod: StoredPod, container: string): string => `${pod.metadata.uid}/${container}`

  const folderOf = (pod: StoredPod, container: string): string => {
    const folder = join(directory, keyOf(pod, container))
    mkdirSync(folder, { recursive: true })
    return folder
  }

  const mainOf = (pod: StoredPod, container: string): Main => {
    const main = mains.get(keyOf(pod, container))
    if (main === undefined) throw new Error(`container not found ("${container}")`)
    return main
  }

  const keepUntilEnd = (process: HostProcess): HostProcess => {
    alive.add(process)
    void process.ended.then(() => alive.delete(process))
    return process
  }

  const runMain = (
    start: StartContainer,
    exit: (exit: Parameters<StartContainer['onExit']>[0]) => void,
  ): Main => {
    const { pod, container, environment } = start
    const command = [...(container.command ?? []), ...(container.args ?? [])]
    const log = createHostLog(() => clock.now())
    const previous = mains.get(keyOf(pod, container.name))?.log
    if (command.length === 0) return { process: undefined, log, previous }
    const process = keepUntilEnd(
      startHostProcess({
        command,
        directory: folderOf(pod, container.name),
        environment,
        tty: container.tty === true,
      }),
    )
    if (container.stdin !== true) process.child.stdin?.end()
    for (const stream of [process.child.stdout, process.child.stderr])
      stream?.on('data', (chunk: Buffer) => log.add(chunk))
    void process.ended.then(({ exitCode, signal }) => {
      log.end()
      const reason = exitCode === 0 ? 'Completed' : 'Error'
      // The model's container is made in this turn of the loop, and only then can it end.
      clock.defer(() => exit({ exitCode, reason, ...(signal === undefined ? {} : { signal }) }))
    })
    return { process, log, previous }
  }

  const inner = createSimulatedRuntime({
    clock,
    random,
    nodeIndex,
    images: (image) =>
      MISSING.test(image)
        ? undefined
        : {
            pullMs: 20,
            run(start, handle) {
              const main = runMain(start, handle.exit)
              mains.set(keyOf(start.pod, start.container.name), main)
              return { startMs: 0, ...(main.process === undefined ? {} : { stop: 'ignores' as const }) }
            },
          },
  })

  return {
    ...inner,
    startContainer(start, reply) {
      inner.startContainer(start, (outcome) => {
        const process = mains.get(keyOf(start.pod, start.container.name))?.process
        if (outcome.ok && process !== undefined) byId.set(outcome.value.id, process)
        reply(outcome)
      })
    },
    stopContainer(id, graceMs) {
      const process = byId.get(id)
      process?.kill('SIGTERM')
      if (process !== undefined) clock.after(graceMs, () => process.kill('SIGKILL'))
      inner.stopContainer(id, graceMs)
    },
    forgetPod(uid) {
      for (const key of [...mains.keys()]) if (key.startsWith(`${uid}/`)) mains.delete(key)
      rmSync(join(directory, uid), { recursive: true, force: true })
      inner.forgetPod(uid)
    },
    probe(pod, container, containerId, probe, reply) {
      if (probe.action.type !== 'exec') {
        inner.probe(pod, container, containerId, probe, reply)
        return
      }
      const { command } = probe.action
      const process = keepUntilEnd(startHostProcess({ command, directory: folderOf(pod, container.name) }))
      let output = ''
      for (const stream of [process.child.stdout, process.child.stderr])
        stream?.on('data', (chunk: Buffer) => {
          output += chunk
        })
      void process.ended.then(({ exitCode }) => reply({ ok: true, value: { ok: exitCode === 0, output } }))
    },
    async logs(pod, container, options) {
      const main = mainOf(pod, container)
      const log = options.previous ? main.previous : main.log
      if (log === undefined)
        throw new Error(
          `previous terminated container "${container}" in pod "${pod.metadata.name}" not found`,
        )
      return log.read(options)
    },
    async exec(pod, container, { command, tty, stdin, stdout, stderr, resize, signal }) {
      mainOf(pod, container)
      const process = keepUntilEnd(startHostProcess({ command, directory: folderOf(pod, container), tty }))
      if (stdin === undefined) process.child.stdin?.end()
      else if (process.child.stdin !== null) stdin.pipe(process.child.stdin)
      if (stdout !== undefined) process.child.stdout?.pipe(stdout, { end: false })
      if (stderr !== undefined) process.child.stderr?.pipe(stderr, { end: false })
      resize?.(({ columns, rows }) => process.resize(columns, rows))
      signal.addEventListener('abort', () => process.kill('SIGKILL'), { once: true })
      const { exitCode } = await process.ended
      if (exitCode === NO_SUCH_PROGRAM) (stderr ?? stdout)?.write(ociError(command[0] ?? ''))
      return { exitCode: exitCode === NO_SUCH_PROGRAM ? 126 : exitCode }
    },
    async attach(pod, container, { stdin, stdout, stderr, resize, signal }) {
      const { process } = mainOf(pod, container)
      if (process === undefined) return inner.attach(pod, container, { tty: false, stdout: stdout!, signal })
      const { child } = process
      // Only what says stdinOnce ends with its first visitor.
      const end = pod.spec.containers.find(({ name }) => name === container)?.stdinOnce === true
      if (child.stdin !== null) stdin?.pipe(child.stdin, { end })
      const toOut = (chunk: Buffer): unknown => stdout?.write(chunk)
      const toErr = (chunk: Buffer): unknown => (stderr ?? stdout)?.write(chunk)
      child.stdout?.on('data', toOut)
      child.stderr?.on('data', toErr)
      resize?.(({ columns, rows }) => process.resize(columns, rows))
      const left = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      await Promise.race([process.ended, left])
      child.stdout?.off('data', toOut)
      child.stderr?.off('data', toErr)
    },
    connect: (_pod, port) => dial(port),
    async close() {
      for (const process of alive) process.kill('SIGKILL')
      await Promise.all([...alive].map((process) => process.ended))
    },
  }
}
