/** One container under an OCI runtime, from the start of its first process to the removal of what it left. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import { type Clock, sleep, type Timer } from '../../../kit/index.ts'
import { type Cgroups, childReaper, type ProcessEnd, removeTree } from '../../../linux/index.ts'
import { readFairly, removeCgroup, type StartedProcess } from '../../../oci/index.ts'
import type { ContainerExit } from '../../ports/index.ts'
import type { ContainerInstance, ContainerLog, OutputStream } from './container-instance.ts'
import { memoryLimitOf } from './container-resources.ts'
import { readTerminationMessage } from './termination-message.ts'

/** How long output may still come when the first process has ended and all others were killed. */
const LAST_OUTPUT_MS = 1000

const START_MS = 2

const isStillStarting = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('runc:[')

export interface OciContainerParts {
  id: string
  podUid: string
  podName: string
  namespace: string
  container: Container
  attempt: number
  /** All of it is removed after the end. */
  folder: string
  layers: string
  writableFolders: readonly string[]
  cgroup: string
  /** The state that the runtime program keeps of it. */
  stateFolder: string
  stopSignal: NodeJS.Signals
  log: ContainerLog
  clock: Clock
  cgroups: Cgroups
}

export interface OciContainer extends ContainerInstance {
  /** Asks it to end, and kills it when the time is over; a second call can only shorten that. */
  stop(graceMs: number): void
  /** Ends it if the kernel has killed one of its processes for want of memory. */
  endIfStarved(): void
  /** Resolves when nothing is left of it but its log. */
  readonly removed: Promise<void>
}

const reasonFor = (exitCode: number, starved: boolean): string =>
  starved ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error'

/** Removes what a container leaves: control group, files, and the state that the runtime program keeps. */
export const removeRemains = async (
  parts: Pick<OciContainerParts, 'id' | 'folder' | 'layers' | 'cgroup' | 'stateFolder' | 'cgroups' | 'clock'>,
): Promise<void> => {
  try {
    await removeCgroup(parts.cgroups, parts.cgroup, parts.clock)
  } finally {
    for (const path of [join(parts.stateFolder, parts.id), parts.layers, parts.folder]) await removeTree(path)
  }
}

/** The process runs from now on. */
export const createOciContainer = (parts: OciContainerParts, started: StartedProcess): OciContainer => {
  const { container, folder, cgroup, log, clock, cgroups, stopSignal } = parts
  const { pid, outputs, stdin, terminal } = started
  const listeners = new Set<(stream: OutputStream, chunk: Uint8Array) => void>()
  const hasLimit = memoryLimitOf(container) !== undefined
  let running = true
  let asked = false
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

  /** The runtime program's own first steps would take a signal for the container and end in its place. */
  const ask = (): void => {
    if (!running) return
    if (isStillStarting(pid)) clock.after(START_MS, ask)
    else process.kill(pid, stopSignal)
  }

  const conclude = async ({ exitCode }: ProcessEnd): Promise<ContainerExit> => {
    const starved = cgroups.oomKills(cgroup) > 0
    // Those in a process namespace of the whole pod outlive the first.
    cgroups.kill(cgroup)
    const drained = Promise.allSettled(outputs.map(({ source }) => finished(source, { writable: false })))
    await Promise.race([drained, sleep(clock, LAST_OUTPUT_MS)])
    for (const { source } of outputs) source.destroy()
    stdin?.destroy()
    terminal?.close()
    await log.end()
    // A folder that somebody has removed costs the message, not the news of the end.
    const message = await readTerminationMessage(folder, container, exitCode, log).catch(() => undefined)
    return { exitCode, reason: reasonFor(exitCode, starved), ...(message === undefined ? {} : { message }) }
  }

  const ended = new Promise<ContainerExit>((resolve) => {
    childReaper().adopt(pid, (end) => {
      running = false
      deadline?.timer.cancel()
      resolve(conclude(end))
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
      if (!asked) ask()
      asked = true
      const at = clock.now() + graceMs
      if (deadline !== undefined && deadline.at <= at) return
      deadline?.timer.cancel()
      deadline = { at, timer: clock.after(graceMs, kill) }
    },
    endIfStarved() {
      if (running && hasLimit && cgroups.oomKills(cgroup) > 0) kill()
    },
  }
}
