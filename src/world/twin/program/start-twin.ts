/** Starts one service of a topology in this process, and stops it gracefully. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { ServiceSlice } from '#spec'
import {
  allocateFootprint,
  createBehaviour,
  findDefect,
  type RunningBehaviour,
  startBackgroundDefects,
} from '#world/twin/behaviour'
import {
  createAgentExporter,
  createLineFile,
  createLog,
  createMeter,
  createSpanExporter,
  createTracer,
  type Output,
  traceDump,
} from '#world/twin/instrumentation'
import type { ListeningServer } from '#world/twin/ports'
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
  readonly slice: ServiceSlice
  readonly env: Readonly<Record<string, string>>
  /** The arguments of the container; data stores interpret them as their originals do. */
  readonly args?: readonly string[]
  readonly output: Output
  /** The Unix socket that receives the spans. */
  readonly telemetryPath: string
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

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const toAgentExporter = ({ slice, evaluate }: Settings) => {
  const { traces } = slice.behaviour
  if (traces === undefined) return undefined
  return createAgentExporter(parseAddress(String(evaluate(traces, 'traces')), AGENT_PORT))
}

const createTwin = (options: TwinOptions, settings: Settings): Twin => {
  const { slice, env, output, telemetryPath } = options
  const { service, behaviour } = slice
  const pod = env.HOSTNAME ?? hostname()
  const exporter = createSpanExporter(telemetryPath, toAgentExporter(settings))
  const log = createLog(
    {
      format: behaviour.logFormat ?? 'plain',
      level: settings.level,
      port: settings.port,
      service,
      host: pod,
    },
    output,
  )
  const meter = createMeter(() => ({
    spans_dropped_total: exporter.dropped,
    log_lines_dropped_total: output.dropped,
  }))
  const tracer = createTracer({ service, pod }, exporter)
  return { settings, log, meter, tracer, exporter, upstreams: createUpstreams(settings, tracer) }
}

/** Limits the use of the volume. */
const MAX_TRACE_BYTES = 64 * 1024 * 1024

const createRequestWriter = (
  folder: string,
  isTraceLevel: boolean,
): ((line: string) => Promise<void>) | undefined => {
  if (!isTraceLevel) return createLineFile(join(folder, 'requests.log'))
  const write = createLineFile(join(folder, 'trace.log'), MAX_TRACE_BYTES)
  return write && ((line) => write(traceDump(line)))
}

const toBehaviour = (
  { settings, log, meter, tracer, upstreams }: Twin,
  folder: string | undefined,
): RunningBehaviour => {
  const { slice, env, config, expressions, tokenKey } = settings
  const { memorySize, concurrency, tokenMaxAge } = slice.behaviour
  return createBehaviour({
    slice,
    env,
    config,
    expressions,
    tokenKey,
    log,
    meter,
    tracer,
    memorySize: memorySize === undefined ? undefined : settings.evaluateNumber(memorySize, 'memorySize'),
    tokenMaxAge: tokenMaxAge === undefined ? undefined : settings.evaluateNumber(tokenMaxAge, 'tokenMaxAge'),
    concurrency: concurrency === undefined ? undefined : settings.evaluateNumber(concurrency, 'concurrency'),
    logRequest: folder === undefined ? undefined : createRequestWriter(folder, settings.isTraceLevel),
    serviceClient: upstreams.serviceClient,
    storeClient: upstreams.storeClient,
    timeoutOf: upstreams.timeoutOf,
    retryOf: upstreams.retryOf,
  })
}

const crashIfDefective = async ({ behaviour }: ServiceSlice): Promise<void> => {
  if (findDefect(behaviour, 'crash') === undefined) return
  await sleep(CRASH_DELAY_MS)
  throw new StartFailure(crashReason(behaviour.logFormat ?? 'plain'))
}

const openMetrics = async (
  { slice, metricsPort }: TwinOptions,
  { meter, log }: Twin,
): Promise<ListeningServer | undefined> => {
  if (slice.behaviour.protocol === 'http' || metricsPort === undefined) return undefined
  try {
    return await serveMetrics(metricsPort, meter)
  } catch (error) {
    log('warn', `no metrics: ${(error as Error).message}`)
    return undefined
  }
}

/** The parts opened so far; `stop` closes them, also after an aborted start. */
interface Parts {
  server?: ListeningServer
  metrics?: ListeningServer | undefined
  background?: { close(): void }
  defects?: { close(): void }
}

const start = async (options: TwinOptions, twin: Twin, parts: Parts): Promise<void> => {
  const { slice, signal, requestLogFolder } = options
  const behaviour = toBehaviour(twin, requestLogFolder)
  await allocateFootprint(slice.behaviour.footprintMiB, { signal })
  await crashIfDefective(slice)
  await runStart(twin, behaviour)
  // gRPC clients connect as soon as an instance is registered, and back off after a refused connection.
  const shouldListenFirst = slice.behaviour.protocol !== 'http'
  if (!shouldListenFirst) await register(twin)
  parts.server = await listen(twin, behaviour)
  if (shouldListenFirst) await register(twin)
  parts.metrics = await openMetrics(options, twin)
  parts.background = await startBackground(twin, behaviour)
  parts.defects = startBackgroundDefects(slice.behaviour)
  setTimeout(() => void twin.upstreams.warm(), WARM_UP_DELAY_MS).unref()
}

/** Deregisters first, so that no new callers arrive while active requests end. */
const stop = async ({ upstreams, exporter }: Twin, parts: Parts, graceMs?: number): Promise<void> => {
  parts.background?.close()
  parts.defects?.close()
  await Promise.race([upstreams.closeRegistries(), sleep(DEREGISTER_TIMEOUT_MS)])
  await parts.server?.close(graceMs)
  await Promise.all([parts.metrics?.close(0), upstreams.close()])
  await exporter.close()
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(new StartFailure('terminated'))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })

/** Rejects with a StartFailure if the service cannot start; everything it has opened is then closed. */
export const startTwin = async (options: TwinOptions): Promise<RunningTwin> => {
  const { signal } = options
  const twin = createTwin(options, readSettings(options.slice, options.env, options.args))
  const parts: Parts = {}
  let stopped: Promise<void> | undefined
  const close = (graceMs?: number): Promise<void> => {
    stopped ??= stop(twin, parts, graceMs)
    return stopped
  }
  try {
    const started = start(options, twin, parts)
    await (signal === undefined ? started : Promise.race([started, rejectOnAbort(signal)]))
  } catch (error) {
    await close(0)
    throw error
  }
  return { port: parts.server!.port, metricsPort: parts.metrics?.port, close }
}
