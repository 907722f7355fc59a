/** The program of a twin's container: starts the service of its image, and stops gracefully on a signal. */
import type { LogFormat } from '#spec'
import { createOutput } from '#world/twin/instrumentation'
import { formatCrash } from './crash-output.ts'
import { readSlice } from './read-files.ts'
import { type RunningTwin, startTwin } from './start-twin.ts'

const SLICE_PATH = '/opt/remedium/service/service.bin'
const TELEMETRY_PATH = '/run/remedium/telemetry.sock'
const METRICS_PORT = 9464
/** The volume for logs that some original pods mount; the others have no such folder. */
const REQUEST_FOLDER = '/var/log/mysql'

/** Shorter than the shortest grace period of the pods. */
const GRACE_MS = 4000

const env = { ...process.env } as Record<string, string>
const output = createOutput()
let format: LogFormat = 'plain'

const crash = (error: unknown): never => {
  output.write(formatCrash(format, error instanceof Error ? error.message : String(error)))
  output.flush()
  process.exit(1)
}

/** Repeated signals have no further effect. */
const createTerminationSignal = (): AbortSignal => {
  const termination = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => termination.abort())
  return termination.signal
}

const start = (signal: AbortSignal): Promise<RunningTwin> => {
  const slice = readSlice(env.REMEDIUM_SERVICE_FILE ?? SLICE_PATH, env.HOSTNAME ?? '')
  format = slice.behaviour.logFormat ?? 'plain'
  return startTwin({
    slice,
    env,
    args: process.argv.slice(2),
    output,
    telemetryPath: env.REMEDIUM_TELEMETRY ?? TELEMETRY_PATH,
    metricsPort: METRICS_PORT,
    requestLogFolder: REQUEST_FOLDER,
    signal,
  })
}

const main = async (): Promise<void> => {
  const signal = createTerminationSignal()
  try {
    const twin = await start(signal)
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    await twin.close(GRACE_MS)
  } catch (error) {
    if (!signal.aborted) throw error
  }
  output.flush()
  process.exit(0)
}

process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)
main().catch(crash)
