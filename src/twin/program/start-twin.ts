/** Starts one service of a topology in this process, in the order its original does, and ends it in good order. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { ServiceSlice } from '../../spec/index.ts'
import {
  beginBackgroundDefects,
  createBehaviour,
  findDefect,
  outgrowLimit,
  type RunningBehaviour,
} from '../behaviour/index.ts'
import type { ListeningServer } from '../ports/index.ts'
import {
  createAgentLine,
  createLineFile,
  createLog,
  createMeter,
  createSpanExporter,
  createTracer,
  type Output,
  traceDump,
} from '../watch/index.ts'
import { parseAddress } from './address.ts'
import { beginBackground, register } from './begin-background.ts'
import { crashReason } from './last-words.ts'
import { listen } from './listen.ts'
import { runStart } from './run-start.ts'
import { serveMetrics } from './serve-metrics.ts'
import { readSettings, type Settings } from './settings.ts'
import { StartFailure } from './start-failure.ts'
import type { Twin } from './twin.ts'
import { createUpstreams } from './upstreams.ts'

export interface TwinOptions {
  readonly slice: ServiceSlice
  readonly env: Readonly<Record<string, string>>
  /** Of the container; data stores are told by them what their originals are. */
  readonly args?: readonly string[]
  readonly output: Output
  /** The unix socket that spans go to. */
  readonly telemetryPath: string
  /** For all that do not speak HTTP; none where absent. */
  readonly metricsPort?: number
  /** Each request is noted in a file there, where there is such a folder. */
  readonly requestFolder?: string
  /** Ends a start that has not come to its end. */
  readonly signal?: AbortSignal
}

export interface RunningTwin {
  readonly port: number
  readonly metricsPort: number | undefined
  /** Takes no more, lets what is on its way end for at most so long, and says good-bye to whom it knows; once. */
  close(graceMs?: number): Promise<void>
}

/** Jaeger's, for those who say none. */
const AGENT_PORT = 6831

const CRASH_AFTER_MS = 400

/** When those who start at the same time have what they need of the processors. */
const WARM_AFTER_MS = 2000

/**
 * For registries, which may not be there any more. Long enough for a line that loses packets or holds them up for a
 * second: who has not said good-bye is named to callers for up to half a minute.
 */
const FAREWELL_MS = 2500

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const toAgentLine = ({ slice, evaluate }: Settings) => {
  const { traces } = slice.behaviour
  if (traces === undefined) return undefined
  return createAgentLine(parseAddress(String(evaluate(traces, 'traces')), AGENT_PORT))
}

const assemble = (options: TwinOptions, settings: Settings): Twin => {
  const { slice, env, output, telemetryPath } = options
  const { service, behaviour } = slice
  const pod = env.HOSTNAME ?? hostname()
  const exporter = createSpanExporter(telemetryPath, toAgentLine(settings))
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

/** As much as a volume is to hold of traces. */
const MOST_TRACE_BYTES = 64 * 1024 * 1024

const toNotes = (folder: string, traces: boolean): ((line: string) => Promise<void>) | undefined => {
  if (!traces) return createLineFile(join(folder, 'requests.log'))
  const write = createLineFile(join(folder, 'trace.log'), MOST_TRACE_BYTES)
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
    memorySize: memorySize === undefined ? undefined : settings.number(memorySize, 'memorySize'),
    tokenMaxAge: tokenMaxAge === undefined ? undefined : settings.number(tokenMaxAge, 'tokenMaxAge'),
    concurrency: concurrency === undefined ? undefined : settings.number(concurrency, 'concurrency'),
    noteRequest: folder === undefined ? undefined : toNotes(folder, settings.traces),
    serviceClient: upstreams.serviceClient,
    storeClient: upstreams.storeClient,
    timeoutOf: upstreams.timeoutOf,
    retryOf: upstreams.retryOf,
  })
}

const crashIfBad = async ({ behaviour }: ServiceSlice): Promise<void> => {
  if (findDefect(behaviour, 'crash') === undefined) return
  await sleep(CRASH_AFTER_MS)
  throw new StartFailure(crashReason(behaviour.logFormat ?? 'plain'))
}

const openMetrics = async (
  { slice, metricsPort }: TwinOptions,
  { meter, log }: Twin,
): Promise<ListeningServer | undefined> => {
  if (slice.behaviour.wire === 'http' || metricsPort === undefined) return undefined
  try {
    return await serveMetrics(metricsPort, meter)
  } catch (error) {
    log('warn', `no metrics: ${(error as Error).message}`)
    return undefined
  }
}

/** What a start has opened so far. */
interface Parts {
  server?: ListeningServer
  metrics?: ListeningServer | undefined
  background?: { close(): void }
  defects?: { close(): void }
}

const begin = async (options: TwinOptions, twin: Twin, parts: Parts): Promise<void> => {
  const { slice, signal, requestFolder } = options
  const behaviour = toBehaviour(twin, requestFolder)
  await outgrowLimit(slice.behaviour.footprintMiB, { signal })
  await crashIfBad(slice)
  await runStart(twin, behaviour)
  // Callers over gRPC connect as soon as they hear of somebody, and take a refusal as a reason to pause.
  const listensFirst = slice.behaviour.wire !== 'http'
  if (!listensFirst) await register(twin)
  parts.server = await listen(twin, behaviour)
  if (listensFirst) await register(twin)
  parts.metrics = await openMetrics(options, twin)
  parts.background = await beginBackground(twin, behaviour)
  parts.defects = beginBackgroundDefects(slice.behaviour)
  setTimeout(() => void twin.upstreams.warm(), WARM_AFTER_MS).unref()
}

/** Those who know of it hear first that it goes; then what is on its way may end. */
const end = async ({ upstreams, exporter }: Twin, parts: Parts, graceMs?: number): Promise<void> => {
  parts.background?.close()
  parts.defects?.close()
  await Promise.race([upstreams.closeRegistries(), sleep(FAREWELL_MS)])
  await parts.server?.close(graceMs)
  await Promise.all([parts.metrics?.close(0), upstreams.close()])
  await exporter.close()
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new StartFailure('terminated'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

/** Rejects with a StartFailure where it cannot start, and has then closed what it had opened. */
export const startTwin = async (options: TwinOptions): Promise<RunningTwin> => {
  const { signal } = options
  const twin = assemble(options, readSettings(options.slice, options.env, options.args))
  const parts: Parts = {}
  let ending: Promise<void> | undefined
  const close = (graceMs?: number): Promise<void> => {
    ending ??= end(twin, parts, graceMs)
    return ending
  }
  try {
    const begun = begin(options, twin, parts)
    await (signal === undefined ? begun : Promise.race([begun, whenAborted(signal)]))
  } catch (error) {
    await close(0)
    throw error
  }
  return { port: parts.server!.port, metricsPort: parts.metrics?.port, close }
}
