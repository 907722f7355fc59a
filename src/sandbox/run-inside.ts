/** One run in a sandbox, from the first process to the removal of what it left. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { type Clock, createBoundedOutput, monotonicMs, sleep } from '../kit/index.ts'
import { type Cgroups, childReaper, type ProcessEnd, removeTree } from '../linux/index.ts'
import {
  readFairly,
  removeCgroup,
  type StartedProcess,
  type SystemLayers,
  startProcess,
} from '../oci/index.ts'
import { RemediumError } from '../spec/index.ts'
import { createLineSplitter } from './line-splitter.ts'
import type { SandboxLimits } from './sandbox-limits.ts'
import type { SandboxOutcome, SandboxRequest } from './sandbox-request.ts'
import { sandboxSpec } from './sandbox-spec.ts'
import type { ServerAddress } from './server-address.ts'
import { createServerRelay, type ServerRelay } from './server-relay.ts'

/** How long output may still come when all who could write it were killed. */
const LAST_OUTPUT_MS = 1000

export interface RunParts {
  readonly id: string
  readonly request: SandboxRequest
  readonly limits: SandboxLimits
  readonly address: ServerAddress
  /** Of this run: all of it is removed afterwards. */
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

/** A name that leads out of the folder would be written by root. */
const checkName = (name: string): string => {
  if (/^[\w.-]+$/.test(name) && !/^\.+$/.test(name)) return name
  throw new RemediumError('defect', `"${name}" is no plain name for a file of a sandbox.`)
}

const writeBundle = (parts: RunParts, networkPath: string): void => {
  const { folder, request } = parts
  const input = join(folder, 'input')
  mkdirSync(folder, { mode: 0o700 })
  mkdirSync(input, { mode: 0o755 })
  for (const [name, text] of Object.entries(request.files ?? {}))
    writeFileSync(join(input, checkName(name)), text, { mode: 0o444 })
  writeFileSync(join(folder, 'config.json'), JSON.stringify(sandboxSpec({ ...parts, input, networkPath })))
}

/** Of one word of a command; the kernel takes little more. */
const MOST_WORD_BYTES = 120 * 2 ** 10

/** Why no kernel would start it, whoever wrote it. */
const unfitness = ({ command, environment = {} }: SandboxRequest): string | undefined => {
  const words = [...command, ...Object.values(environment)]
  if (words.some((word) => word.includes('\0'))) return 'the command has zero bytes in it'
  return words.some((word) => Buffer.byteLength(word) > MOST_WORD_BYTES)
    ? `the command is longer than ${MOST_WORD_BYTES / 1024} KiB`
    : undefined
}

type Cut = NonNullable<SandboxOutcome['cut']>

/** Ends a run before its time, for the first reason that comes. */
const createEnding = ({ clock, limits, request }: RunParts) => {
  const controller = new AbortController()
  let cut: Cut | undefined
  const end = (why: Cut): void => {
    cut ??= why
    controller.abort()
  }
  const timer = clock.after(limits.timeoutMs, () => end('time'))
  const onAbort = (): void => end('aborted')
  if (request.signal?.aborted === true) onAbort()
  else request.signal?.addEventListener('abort', onAbort, { once: true })
  return {
    end,
    signal: controller.signal,
    cut: () => cut,
    settle() {
      timer.cancel()
      request.signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Reads all that comes, and keeps some. */
const listen = (
  { clock, limits, request }: RunParts,
  { outputs, told }: StartedProcess,
  onTooMuch: () => void,
) => {
  let bytes = 0
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length
    if (bytes > limits.outputBytes) onTooMuch()
  }
  const kept = {
    stdout: createBoundedOutput(limits.keptBytes),
    stderr: createBoundedOutput(limits.keptBytes),
  }
  const sources = [...outputs.map(({ source }) => source), ...(told === undefined ? [] : [told])]
  for (const source of sources) source.on('error', () => {})
  for (const { stream, source } of outputs)
    readFairly(source, clock, (chunk) => {
      count(chunk)
      kept[stream].add(chunk as Buffer)
    })
  if (told !== undefined) {
    const split = createLineSplitter((line) => request.onLine?.(line))
    readFairly(told, clock, (chunk) => {
      count(chunk)
      split(chunk as Buffer)
    })
  }
  return {
    kept,
    async drain() {
      const drained = Promise.allSettled(sources.map((source) => finished(source, { writable: false })))
      await Promise.race([drained, sleep(clock, LAST_OUTPUT_MS)])
      for (const source of sources) source.destroy()
    },
  }
}

const troubleOf = (cut: Cut | undefined, starved: boolean, limits: SandboxLimits): string | undefined => {
  if (cut === 'time') return `it took longer than ${limits.timeoutMs / 1000} s and was ended`
  if (cut === 'output') return `it said more than ${limits.outputBytes / 2 ** 20} MiB and was ended`
  if (cut === 'aborted') return 'it was ended from outside'
  return starved ? `it wanted more than ${limits.memoryBytes / 2 ** 20} MiB of memory` : undefined
}

/** Its first process runs; when that has ended, so has all else. */
const untilEnded = (pid: number, kill: () => void, signal: AbortSignal): Promise<ProcessEnd> =>
  new Promise((resolve) => {
    childReaper().adopt(pid, (end) => {
      signal.removeEventListener('abort', kill)
      resolve(end)
    })
    if (signal.aborted) kill()
    else signal.addEventListener('abort', kill, { once: true })
  })

const attempt = async (parts: RunParts, relay: ServerRelay): Promise<SandboxOutcome> => {
  const { cgroups, cgroup, limits, request } = parts
  const started = monotonicMs()
  const ending = createEnding(parts)
  const passed = (): number => Math.round(monotonicMs() - started)
  const cutBefore = (): SandboxOutcome => ({
    exitCode: 137,
    stdout: '',
    stderr: '',
    milliseconds: passed(),
    cut: ending.cut()!,
    trouble: troubleOf(ending.cut(), false, limits)!,
  })
  try {
    if (ending.signal.aborted) return cutBefore()
    writeBundle(parts, relay.path)
    const process_ = await startProcess({
      program: parts.program,
      stateFolder: parts.stateFolder,
      bundle: parts.folder,
      id: parts.id,
      clock: parts.clock,
      marker: parts.marker,
      stdin: false,
      tty: false,
      signal: ending.signal,
      mountNamespace: parts.mountNamespace,
      tells: request.onLine !== undefined,
    }).catch((cause: Error) => {
      if (ending.signal.aborted) return undefined
      throw new RemediumError('tool-failed', `A sandbox could not be started (${cause.message}).`, { cause })
    })
    if (process_ === undefined) return cutBefore()
    const { pid } = process_
    const heard = listen(parts, process_, () => ending.end('output'))
    const kill = (): void => {
      process.kill(pid, 'SIGKILL')
      cgroups.kill(cgroup)
    }
    const { exitCode } = await untilEnded(pid, kill, ending.signal)
    const starved = cgroups.oomKills(cgroup) > 0
    cgroups.kill(cgroup)
    await heard.drain()
    const cut = ending.cut()
    const trouble = troubleOf(cut, starved, limits)
    return {
      exitCode: cut === undefined ? exitCode : 137,
      stdout: heard.kept.stdout.text(),
      stderr: heard.kept.stderr.text(),
      ...(cut === undefined ? {} : { cut }),
      ...(trouble === undefined ? {} : { trouble }),
      milliseconds: passed(),
    }
  } finally {
    ending.settle()
  }
}

const runThrough = async (parts: RunParts): Promise<SandboxOutcome> => {
  const { address, limits, clock, cgroups } = parts
  const relay = createServerRelay(address, { connections: limits.connections, clock })
  try {
    return await attempt(parts, relay)
  } finally {
    relay.close()
    try {
      await removeCgroup(cgroups, parts.cgroup, clock)
    } finally {
      for (const path of [join(parts.stateFolder, parts.id), parts.folder]) await removeTree(path)
    }
  }
}

/** Resolves when nothing is left of it. Rejects only where the machine is at fault, and says so: other errors count as the agent's. */
export const runInside = async (parts: RunParts): Promise<SandboxOutcome> => {
  const trouble = unfitness(parts.request)
  if (trouble !== undefined)
    return { exitCode: 126, stdout: '', stderr: `${trouble}\n`, trouble, milliseconds: 0 }
  try {
    return await runThrough(parts)
  } catch (cause) {
    if (cause instanceof RemediumError) throw cause
    throw new RemediumError('tool-failed', `A sandbox could not be run (${(cause as Error).message}).`, {
      cause,
    })
  }
}
