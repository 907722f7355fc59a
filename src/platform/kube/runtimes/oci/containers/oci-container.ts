/** One container under an OCI runtime, from the start of its first process to the removal of its files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import { type Clock, defined, sleep, type Timer } from '#kit'
import { type Cgroups, childReaper, type ProcessEnd, removeTree } from '#machine/linux'
import { readFairly, removeCgroup, type StartedProcess } from '#machine/oci'
import { memoryLimitOf } from '#platform/kube/containers'
import type { ContainerExit } from '#platform/kube/ports'
import type { ContainerInstance, ContainerLog, OutputStream } from './container-instance.ts'
import { readTerminationMessage } from './termination-message.ts'

/** The time limit for reading output after all processes have ended. */
const LAST_OUTPUT_MS = 1000

const START_POLL_MS = 2

const isStillStarting = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('runc:[')

export interface OciContainerParts {
  id: string
  podUid: string
  podName: string
  namespace: string
  container: Container
  attempt: number
  /** Removed after the container has ended. */
  folder: string
  layers: string
  writableFolders: readonly string[]
  cgroup: string
  /** The state folder of the runtime program. */
  stateFolder: string
  stopSignal: NodeJS.Signals
  log: ContainerLog
  clock: Clock
  cgroups: Cgroups
}

export interface OciContainer extends ContainerInstance {
  /** Sends the stop signal, and kills the container after the grace period. Later calls can only shorten it. */
  stop(graceMs: number): void
  /** Kills the container if the kernel has killed one of its processes for lack of memory. */
  killIfOutOfMemory(): void
  /** Resolves when everything but its log is removed. */
  readonly removed: Promise<void>
}

const reasonFor = (exitCode: number, isOutOfMemory: boolean): string =>
  isOutOfMemory ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error'

/** Removes the control group, the files and the runtime program's state of a container. */
export const removeRemains = async (
  parts: Pick<OciContainerParts, 'id' | 'folder' | 'layers' | 'cgroup' | 'stateFolder' | 'cgroups' | 'clock'>,
): Promise<void> => {
  try {
    await removeCgroup(parts.cgroups, parts.cgroup, parts.clock)
  } finally {
    for (const path of [join(parts.stateFolder, parts.id), parts.layers, parts.folder]) await removeTree(path)
  }
}

/** Drains the output of a container whose first process has ended, and determines its exit. */
const concludeRun = async (
  { container, folder, cgroup, log, clock, cgroups }: OciContainerParts,
  { outputs, stdin, terminal }: StartedProcess,
  { exitCode }: ProcessEnd,
): Promise<ContainerExit> => {
  const isOutOfMemory = cgroups.oomKills(cgroup) > 0
  // If the pod shares one process namespace, other processes outlive the first.
  cgroups.kill(cgroup)
  const drained = Promise.allSettled(outputs.map(({ source }) => finished(source, { writable: false })))
  await Promise.race([drained, sleep(clock, LAST_OUTPUT_MS)])
  for (const { source } of outputs) source.destroy()
  stdin?.destroy()
  terminal?.close()
  await log.end()
  // If the folder was removed, the message is lost, but the exit must still be reported.
  const message = await readTerminationMessage(folder, container, exitCode, log).catch(() => undefined)
  return {
    exitCode,
    reason: reasonFor(exitCode, isOutOfMemory),
    ...defined({ message }),
  }
}

/** Wraps a process that has just been started. */
export const createOciContainer = (parts: OciContainerParts, started: StartedProcess): OciContainer => {
  const { container, cgroup, log, clock, cgroups, stopSignal } = parts
  const { pid, outputs, stdin, terminal } = started
  const listeners = new Set<(stream: OutputStream, chunk: Uint8Array) => void>()
  const hasLimit = memoryLimitOf(container) !== undefined
  let running = true
  let isStopping = false
  let deadline: { at: number; timer: Timer } | undefined

  for (const { stream, source } of outputs) {
    source.on('error', () => {})
    readFairly(source, clock, (chunk) => {
      log.add(stream, chunk)
      for (const listener of listeners) listener(stream, chunk)
    })
  }

  const kill = (): void => {
    if (!running) return
    process.kill(pid, 'SIGKILL')
    cgroups.kill(cgroup)
  }

  /** Waits until the program runs. Before that, the signal would end the init process of runc. */
  const sendStopSignal = (): void => {
    if (!running) return
    if (isStillStarting(pid)) clock.after(START_POLL_MS, sendStopSignal)
    else process.kill(pid, stopSignal)
  }

  const ended = new Promise<ContainerExit>((resolve) => {
    childReaper().adopt(pid, (end) => {
      running = false
      deadline?.timer.cancel()
      resolve(concludeRun(parts, started, end))
    })
  })

  return {
    ...parts,
    stdin,
    terminal,
    get pid() {
      return running ? pid : undefined
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    ended,
    removed: ended.then(() => removeRemains(parts)),
    stop(graceMs) {
      if (!running) return
      if (graceMs === 0) return kill()
      if (!isStopping) sendStopSignal()
      isStopping = true
      const at = clock.now() + graceMs
      if (deadline !== undefined && deadline.at <= at) return
      deadline?.timer.cancel()
      deadline = { at, timer: clock.after(graceMs, kill) }
    },
    killIfOutOfMemory() {
      if (running && hasLimit && cgroups.oomKills(cgroup) > 0) kill()
    },
  }
}
