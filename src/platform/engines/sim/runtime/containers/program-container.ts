/** One run of a simulated container, from its start to its exit. */
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Timer } from '#kit'
import {
  type ContainerResources,
  type ContainerResourcesOptions,
  createContainerResources,
  type Volume,
} from '#platform/engines/sim/hosts'
import { MESSAGE_LOG_LIMITS, type StartContainer, usesLogAsMessage } from '#platform/kube/simulated'
import { createProgramLog, type ProgramLog } from '../logs/program-log.ts'
import { logTail } from '../logs/read-log.ts'
import { createProcessOutput } from '../processes/process-output.ts'
import { createProcessTable, type MainProgram, type ProcessTable } from '../processes/process-table.ts'
import type { ProcessTableOptions } from '../processes/table-state.ts'
import type { SimContainer, SimLogLine, SimPod } from '../sim-pods.ts'
import type { ContainerMounts } from '../volumes/container-mounts.ts'

const TERMINATED_BY_OOM = 'OOMKilled'

type Exit = Parameters<StartContainer['onExit']>[0]

export interface ProgramContainerOptions
  extends Pick<
    ProcessTableOptions,
    'environment' | 'folder' | 'findProgram' | 'startNetwork' | 'exportSpan' | 'onError'
  > {
  readonly clock: Clock
  readonly id: string
  readonly podUid: string
  readonly pod: SimPod
  readonly container: Container
  /** The full name. */
  readonly image: string
  readonly mounts: ContainerMounts
  readonly resources: Omit<ContainerResourcesOptions, 'clock' | 'mounts' | 'onOutOfMemory'>
  /** Called once, when the container has ended and all its resources are free. */
  onExit(exit: Exit): void
}

export interface ProgramContainer extends SimContainer {
  readonly podUid: string
  readonly container: Container
  readonly log: ProgramLog
  readonly layer: Volume
  readonly table: ProcessTable
  run(main: MainProgram): void
  /** Terminates the main process, and kills it after the grace period. Later calls can only shorten it. */
  stop(graceMs: number): void
  /** Calls the listener with new output of the processes; the returned function ends that. */
  onOutput(listener: (stream: SimLogLine['stream'], text: string) => void): () => void
  /** Resolves when the container has ended. */
  readonly ended: Promise<void>
}

const createOutputs = (log: ProgramLog) => {
  const listeners = new Set<(stream: SimLogLine['stream'], text: string) => void>()
  const outputTo = (stream: SimLogLine['stream']) =>
    createProcessOutput((text) => {
      log.write(stream, text)
      for (const listener of listeners) listener(stream, text)
    })
  return {
    output: outputTo('stdout'),
    errorOutput: outputTo('stderr'),
    listen(listener: (stream: SimLogLine['stream'], text: string) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Kills a container that does not stop in time. */
const createDeadline = (clock: Clock, kill: () => void) => {
  let deadline: { readonly at: number; readonly timer: Timer } | undefined
  return {
    shorten(graceMs: number): void {
      const at = clock.now() + graceMs
      if (deadline !== undefined && deadline.at <= at) return
      deadline?.timer.cancel()
      deadline = { at, timer: clock.after(graceMs, kill) }
    },
    cancel: () => deadline?.timer.cancel(),
  }
}

const toExit = (
  { container, mounts }: ProgramContainerOptions,
  log: ProgramLog,
  exitCode: number,
  isOutOfMemory: boolean,
): Exit => {
  const written = mounts.terminationMessage()
  const message =
    written === '' && usesLogAsMessage(container, exitCode) ? logTail(log, MESSAGE_LOG_LIMITS) : written
  const reason = isOutOfMemory ? TERMINATED_BY_OOM : exitCode === 0 ? 'Completed' : 'Error'
  return { exitCode, reason, ...(message === '' ? {} : { message }) }
}

/** Its program runs after `run`. */
export const createProgramContainer = (options: ProgramContainerOptions): ProgramContainer => {
  const { clock, id, podUid, pod, container, image, mounts } = options
  const log = createProgramLog(clock)
  const outputs = createOutputs(log)
  const ended = Promise.withResolvers<void>()
  let isRunning = true
  let isOutOfMemory = false

  const finish = (code: number): void => {
    isRunning = false
    deadline.cancel()
    resources.close()
    log.end()
    options.onExit(toExit(options, log, code, isOutOfMemory))
    ended.resolve()
  }
  const resources: ContainerResources = createContainerResources({
    ...options.resources,
    clock,
    mounts: mounts.mounts,
    onOutOfMemory() {
      isOutOfMemory = true
      table.kill()
    },
  })
  const table = createProcessTable({ ...options, ...outputs, resources, onMainEnd: finish })
  const deadline = createDeadline(clock, () => table.kill())

  return {
    id,
    name: container.name,
    podUid,
    pod,
    container,
    image,
    log,
    layer: mounts.layer,
    table,
    resources,
    startedAt: clock.now(),
    ended: ended.promise,
    get isRunning() {
      return isRunning
    },
    processes: table.list,
    hasProgram: (path) => options.findProgram(path, '/') !== undefined,
    isListening: table.isListening,
    run: table.startMain,
    kill: table.kill,
    stop(graceMs) {
      if (!isRunning) return
      if (graceMs === 0) return table.kill()
      deadline.shorten(graceMs)
      table.terminate()
    },
    onOutput: outputs.listen,
    followLog(listener) {
      const { from, to } = log.range()
      for (const line of log.entries(from, to)) listener(line)
      return log.onLine((line) => {
        if (line !== undefined) listener(line)
      })
    },
  }
}
