/** Starts one service of a topology on a host, and stops it gracefully. */
import { join } from 'node:path'
import type { ServiceSlice } from '#spec'
import {
  allocateFootprint,
  type CompiledBehaviour,
  compileBehaviour,
  createBehaviour,
  findDefect,
  type RunningBehaviour,
  startBackgroundDefects,
} from '#world/twin/behaviour'
import {
  createLineFile,
  createLog,
  createMeter,
  createTracer,
  TRACE_DUMP_MS,
  traceDump,
} from '#world/twin/instrumentation'
import { type Address, type ListeningServer, sleep, type TwinHost } from '#world/twin/ports'
import { parseAddress } from './address.ts'
import { crashReason } from './crash-output.ts'
import { listen } from './listen.ts'
import { runStart } from './run-start.ts'
import { serveMetrics } from './serve-metrics.ts'
import { readSettings, type Settings } from './settings.ts'
import { register, startBackground } from './start-background.ts'
import { StartFailure } from './start-failure.ts'
import type { Twin } from './twin.ts'
import { createUpstreams } from './upstreams.ts'

export interface TwinOptions {
  readonly host: TwinHost
  readonly slice: ServiceSlice
  /** The compiled behaviour of the slice, which all twins of a service can share; compiled at the start if omitted. */
  readonly compiled?: CompiledBehaviour
  readonly env: Readonly<Record<string, string>>
  /** The arguments of the container; data stores interpret them as their originals do. */
  readonly args?: readonly string[]
  /** The port for metrics if the protocol is not HTTP; if omitted, there are none. */
  readonly metricsPort?: number
  /** Each request is written to a file in this folder, if it exists. */
  readonly requestLogFolder?: string
  /** Aborts an unfinished start. */
  readonly signal?: AbortSignal
}

export interface RunningTwin {
  readonly port: number
  readonly metricsPort: number | undefined
  /** Deregisters, stops listening, and waits up to `graceMs` for active requests. Idempotent. */
  close(graceMs?: number): Promise<void>
}

/** The default port of the Jaeger agent. */
const AGENT_PORT = 6831

const CRASH_DELAY_MS = 400

/** Leaves the CPU to processes that start at the same time. */
const WARM_UP_DELAY_MS = 2000

/**
 * Short enough not to delay the stop if the registry no longer runs. Long enough to deregister on a network
 * that loses or delays packets for a second, because callers get a stale instance for up to half a minute.
 */
const DEREGISTER_TIMEOUT_MS = 2500

const findTraceAgent = ({ slice, evaluate }: Settings): Address | undefined => {
  const { traces } = slice.behaviour
  return traces === undefined ? undefined : parseAddress(String(evaluate(traces, 'traces')), AGENT_PORT)
}

const createTwin = ({ host, slice }: TwinOptions, settings: Settings): Twin => {
  const { service, behaviour } = slice
  const { pod } = host
  const log = createLog(
    {
      format: behaviour.logFormat ?? 'plain',
      level: settings.level,
      port: settings.port,
      service,
      host: pod,
    },
    host,
  )
  const tracer = createTracer({ service, pod, agent: findTraceAgent(settings) }, host)
  const upstreams = createUpstreams(settings, tracer, host.protocols)
  return { host, settings, log, meter: createMeter(host), tracer, upstreams }
}

/** Limits the use of the volume. */
const MAX_TRACE_BYTES = 64 * 1024 * 1024

const createRequestWriter = (
  { host, settings }: Twin,
  folder: string,
): ((line: string) => Promise<void>) | undefined => {
  if (!settings.isTraceLevel) return createLineFile(host.files, join(folder, 'requests.log'))
  const write = createLineFile(host.files, join(folder, 'trace.log'), MAX_TRACE_BYTES)
  if (write === undefined) return undefined
  return async (line) => {
    await host.cpu.use(TRACE_DUMP_MS)
    await write(traceDump(line))
  }
}

const toBehaviour = (
  compiled: CompiledBehaviour,
  twin: Twin,
  folder: string | undefined,
): RunningBehaviour => {
  const { host, settings, log, meter, tracer, upstreams } = twin
  const { slice, env, config, sources, takePendingWork, tokenKey } = settings
  const { memorySize, concurrency, tokenMaxAge } = slice.behaviour
  return createBehaviour(compiled, {
    time: host.time,
    cpu: host.cpu,
    memory: host.memory,
    env,
    config,
    sources,
    takePendingWork,
    tokenKey,
    log,
    meter,
    tracer,
    memorySize: memorySize === undefined ? undefined : settings.evaluateNumber(memorySize, 'memorySize'),
    tokenMaxAge: tokenMaxAge === undefined ? undefined : settings.evaluateNumber(tokenMaxAge, 'tokenMaxAge'),
    concurrency: concurrency === undefined ? undefined : settings.evaluateNumber(concurrency, 'concurrency'),
    logRequest: folder === undefined ? undefined : createRequestWriter(twin, folder),
    serviceClient: upstreams.serviceClient,
    storeClient: upstreams.storeClient,
    timeoutOf: upstreams.timeoutOf,
    retryOf: upstreams.retryOf,
  })
}

const crashIfDefective = async ({ slice: { behaviour }, host }: TwinOptions): Promise<void> => {
  if (findDefect(behaviour, 'crash') === undefined) return
  await sleep(host.time, CRASH_DELAY_MS)
  throw new StartFailure(crashReason(behaviour.logFormat ?? 'plain'))
}

const openMetrics = async (
  { slice, metricsPort }: TwinOptions,
  twin: Twin,
): Promise<ListeningServer | undefined> => {
  if (slice.behaviour.protocol === 'http' || metricsPort === undefined) return undefined
  try {
    return await serveMetrics(metricsPort, twin)
  } catch (error) {
    twin.log('warn', `no metrics: ${(error as Error).message}`)
    return undefined
  }
}

/** The parts opened so far; `stop` closes them, also after an aborted start. */
interface Parts {
  server?: ListeningServer
  metrics?: ListeningServer | undefined
  background?: { close(): void }
  defects?: { close(): void }
  cancelWarmUp?: () => void
}

const start = async (
  options: TwinOptions,
  behaviour: RunningBehaviour,
  twin: Twin,
  parts: Parts,
): Promise<void> => {
  const { host, slice, signal } = options
  await allocateFootprint(slice.behaviour.footprintMiB, host, signal)
  await crashIfDefective(options)
  await runStart(twin, behaviour)
  // gRPC clients connect as soon as an instance is registered, and back off after a refused connection.
  const shouldListenFirst = slice.behaviour.protocol !== 'http'
  if (!shouldListenFirst) await register(twin)
  parts.server = await listen(twin, behaviour)
  if (shouldListenFirst) await register(twin)
  parts.metrics = await openMetrics(options, twin)
  parts.background = await startBackground(twin, behaviour)
  parts.defects = startBackgroundDefects(slice.behaviour, host)
  parts.cancelWarmUp = host.time.after(WARM_UP_DELAY_MS, () => void twin.upstreams.warm())
}

/** Deregisters first, so that no new callers arrive while active requests end. */
const stop = async ({ host, upstreams }: Twin, parts: Parts, graceMs?: number): Promise<void> => {
  parts.cancelWarmUp?.()
  parts.background?.close()
  parts.defects?.close()
  await Promise.race([upstreams.closeRegistries(), sleep(host.time, DEREGISTER_TIMEOUT_MS)])
  await parts.server?.close(graceMs)
  await Promise.all([parts.metrics?.close(0), upstreams.close()])
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(new StartFailure('terminated'))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })

/** Rejects with a StartFailure if the service cannot start; everything it has opened is then closed. */
export const startTwin = async (options: TwinOptions): Promise<RunningTwin> => {
  const { host, env, args, signal } = options
  const compiled = options.compiled ?? compileBehaviour(options.slice)
  const twin = createTwin(options, readSettings(compiled, host, env, args))
  const parts: Parts = {}
  let stopped: Promise<void> | undefined
  const close = (graceMs?: number): Promise<void> => {
    stopped ??= stop(twin, parts, graceMs)
    return stopped
  }
  try {
    const behaviour = toBehaviour(compiled, twin, options.requestLogFolder)
    const started = start(options, behaviour, twin, parts)
    await (signal === undefined ? started : Promise.race([started, rejectOnAbort(signal)]))
  } catch (error) {
    await close(0)
    throw error
  }
  return { port: parts.server!.port, metricsPort: parts.metrics?.port, close }
}
