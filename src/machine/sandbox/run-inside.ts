/** Runs one program in a sandbox, from its first process to the removal of its files. */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { type Clock, createBoundedOutput, defined, monotonicMs, sleep } from '#kit'
import { type Cgroups, childReaper, type ProcessEnd, removeTree } from '#machine/linux'
import { readFairly, removeCgroup, type StartedProcess, type SystemLayers, startProcess } from '#machine/oci'
import { RemediumError } from '#spec'
import { kernelFileMounts } from './kernel-files.ts'
import { createLineSplitter } from './line-splitter.ts'
import type { SandboxLimits } from './sandbox-limits.ts'
import type { SandboxOutcome, SandboxRequest } from './sandbox-request.ts'
import { sandboxSpec } from './sandbox-spec.ts'
import type { ServerAddress } from './server-address.ts'
import { createServerRelay, type ServerRelay } from './server-relay.ts'

/** The time limit for reading output after all processes have ended. */
const LAST_OUTPUT_MS = 1000

export interface RunParts {
  readonly id: string
  readonly request: SandboxRequest
  readonly limits: SandboxLimits
  readonly address: ServerAddress
  readonly dial?: (() => Promise<Socket>) | undefined
  /** The folder of this run, removed afterwards. */
  readonly folder: string
  readonly work: string
  readonly mountNamespace: string
  readonly stateFolder: string
  readonly cgroup: string
  readonly system: SystemLayers
  readonly tools: Readonly<Record<string, string>>
  readonly program: string
  readonly marker: Readonly<Record<string, string>>
  readonly cgroups: Cgroups
  readonly clock: Clock
}

/** Rejects names that would lead out of the folder: root writes these files. */
const checkName = (name: string): string => {
  if (/^[\w.-]+$/.test(name) && !/^\.+$/.test(name)) return name
  throw new RemediumError('defect', `"${name}" is not a plain file name for a sandbox.`)
}

const writeBundle = (parts: RunParts, networkPath: string): void => {
  const { folder, request } = parts
  const input = join(folder, 'input')
  mkdirSync(folder, { mode: 0o700 })
  mkdirSync(input, { mode: 0o755 })
  for (const [name, text] of Object.entries(request.files ?? {}))
    writeFileSync(join(input, checkName(name)), text, { mode: 0o444 })
  const kernelFiles = kernelFileMounts(join(folder, 'kernel'))
  const spec = sandboxSpec({ ...parts, input, kernelFiles, networkPath })
  writeFileSync(join(folder, 'config.json'), JSON.stringify(spec))
}

/** Slightly below the limit of the kernel for one argument. */
const MAX_ARGUMENT_BYTES = 120 * 2 ** 10

/** Returns why the kernel cannot start the command; undefined if it can. */
const explainInvalidCommand = ({ command, environment = {} }: SandboxRequest): string | undefined => {
  const strings = [...command, ...Object.values(environment)]
  if (strings.some((word) => word.includes('\0'))) return 'the command contains zero bytes'
  return strings.some((word) => Buffer.byteLength(word) > MAX_ARGUMENT_BYTES)
    ? `an argument of the command is longer than ${MAX_ARGUMENT_BYTES / 1024} KiB`
    : undefined
}

type StopReason = NonNullable<SandboxOutcome['stoppedBy']>

/** Stops a run early, and records the first reason. */
const createStopper = ({ clock, limits, request }: RunParts) => {
  const controller = new AbortController()
  let stoppedBy: StopReason | undefined
  const stop = (reason: StopReason): void => {
    stoppedBy ??= reason
    controller.abort()
  }
  const timer = clock.after(limits.timeoutMs, () => stop('time'))
  const onAbort = (): void => stop('aborted')
  if (request.signal?.aborted === true) onAbort()
  else request.signal?.addEventListener('abort', onAbort, { once: true })
  return {
    stop,
    signal: controller.signal,
    stoppedBy: () => stoppedBy,
    settle() {
      timer.cancel()
      request.signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Reads all output, and keeps its beginning and its end. */
const collectOutput = (
  { clock, limits, request }: RunParts,
  { outputs, messages }: StartedProcess,
  onLimitExceeded: () => void,
) => {
  let bytes = 0
  const countBytes = (chunk: Uint8Array): void => {
    bytes += chunk.length
    if (bytes > limits.outputBytes) onLimitExceeded()
  }
  const collected = {
    stdout: createBoundedOutput(limits.keptBytes),
    stderr: createBoundedOutput(limits.keptBytes),
  }
  const sources = [...outputs.map(({ source }) => source), ...(messages === undefined ? [] : [messages])]
  for (const source of sources) source.on('error', () => {})
  for (const { stream, source } of outputs)
    readFairly(source, clock, (chunk) => {
      countBytes(chunk)
      collected[stream].add(chunk as Buffer)
    })
  if (messages !== undefined) {
    const split = createLineSplitter((line) => request.onLine?.(line))
    readFairly(messages, clock, (chunk) => {
      countBytes(chunk)
      split(chunk as Buffer)
    })
  }
  return {
    collected,
    async drain() {
      const drained = Promise.allSettled(sources.map((source) => finished(source, { writable: false })))
      await Promise.race([drained, sleep(clock, LAST_OUTPUT_MS)])
      for (const source of sources) source.destroy()
    },
  }
}

const failureOf = (
  stoppedBy: StopReason | undefined,
  isOutOfMemory: boolean,
  limits: SandboxLimits,
): string | undefined => {
  if (stoppedBy === 'time') return `it took longer than ${limits.timeoutMs / 1000} s`
  if (stoppedBy === 'output') return `it wrote more than ${limits.outputBytes / 2 ** 20} MiB of output`
  if (stoppedBy === 'aborted') return 'it was aborted'
  return isOutOfMemory ? `it needed more than ${limits.memoryBytes / 2 ** 20} MiB of memory` : undefined
}

/** Resolves when the first process has ended, which ends all others; kills it if aborted. */
const waitForEnd = (pid: number, kill: () => void, signal: AbortSignal): Promise<ProcessEnd> =>
  new Promise((resolve) => {
    childReaper().adopt(pid, (end) => {
      signal.removeEventListener('abort', kill)
      resolve(end)
    })
    if (signal.aborted) kill()
    else signal.addEventListener('abort', kill, { once: true })
  })

const runProgram = async (parts: RunParts, relay: ServerRelay): Promise<SandboxOutcome> => {
  const { cgroups, cgroup, limits, request } = parts
  const startedAt = monotonicMs()
  const stopper = createStopper(parts)
  const elapsedMs = (): number => Math.round(monotonicMs() - startedAt)
  const toStoppedOutcome = (): SandboxOutcome => ({
    exitCode: 137,
    stdout: '',
    stderr: '',
    milliseconds: elapsedMs(),
    stoppedBy: stopper.stoppedBy()!,
    failure: failureOf(stopper.stoppedBy(), false, limits)!,
  })
  try {
    if (stopper.signal.aborted) return toStoppedOutcome()
    writeBundle(parts, relay.path)
    const started = await startProcess({
      program: parts.program,
      stateFolder: parts.stateFolder,
      bundle: parts.folder,
      id: parts.id,
      clock: parts.clock,
      marker: parts.marker,
      stdin: false,
      tty: false,
      signal: stopper.signal,
      mountNamespace: parts.mountNamespace,
      hasMessages: request.onLine !== undefined,
    }).catch((cause: Error) => {
      if (stopper.signal.aborted) return undefined
      throw new RemediumError('tool-failed', `A sandbox could not be started (${cause.message}).`, { cause })
    })
    if (started === undefined) return toStoppedOutcome()
    const { pid } = started
    const output = collectOutput(parts, started, () => stopper.stop('output'))
    const kill = (): void => {
      process.kill(pid, 'SIGKILL')
      cgroups.kill(cgroup)
    }
    const { exitCode } = await waitForEnd(pid, kill, stopper.signal)
    const isOutOfMemory = cgroups.oomKills(cgroup) > 0
    cgroups.kill(cgroup)
    await output.drain()
    const stoppedBy = stopper.stoppedBy()
    const failure = failureOf(stoppedBy, isOutOfMemory, limits)
    return {
      exitCode: stoppedBy === undefined ? exitCode : 137,
      stdout: output.collected.stdout.text(),
      stderr: output.collected.stderr.text(),
      ...defined({ stoppedBy, failure }),
      milliseconds: elapsedMs(),
    }
  } finally {
    stopper.settle()
  }
}

const runAndCleanUp = async (parts: RunParts): Promise<SandboxOutcome> => {
  const { address, dial, limits, clock, cgroups } = parts
  const relay = createServerRelay(address, { connections: limits.connections, clock, dial })
  try {
    return await runProgram(parts, relay)
  } finally {
    relay.close()
    try {
      await removeCgroup(cgroups, parts.cgroup, clock)
    } finally {
      for (const path of [join(parts.stateFolder, parts.id), parts.folder]) await removeTree(path)
    }
  }
}

/** Resolves when everything is removed. Rejects only if the machine fails, never because of the agent. */
export const runInside = async (parts: RunParts): Promise<SandboxOutcome> => {
  const failure = explainInvalidCommand(parts.request)
  if (failure !== undefined)
    return { exitCode: 126, stdout: '', stderr: `${failure}\n`, failure, milliseconds: 0 }
  try {
    return await runAndCleanUp(parts)
  } catch (cause) {
    if (cause instanceof RemediumError) throw cause
    throw new RemediumError('tool-failed', `A sandbox could not be run (${(cause as Error).message}).`, {
      cause,
    })
  }
}
