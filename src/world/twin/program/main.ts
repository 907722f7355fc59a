/** The program of a twin's container: runs the service of its image in this process. */
import type { ServiceSlice } from '#spec'
import { formatCrash } from './crash-output.ts'
import { createNodeHost } from './create-node-host.ts'
import { readSlice } from './read-files.ts'
import { runTwin } from './run-twin.ts'

const SLICE_PATH = '/opt/remedium/service/service.bin'
const TELEMETRY_PATH = '/run/remedium/telemetry.sock'

const env = { ...process.env } as Record<string, string>
const host = createNodeHost({ env, telemetryPath: env.REMEDIUM_TELEMETRY ?? TELEMETRY_PATH })
let slice: ServiceSlice | undefined

const exit = (code: number): never => {
  host.flush()
  process.exit(code)
}

const crash = (error: unknown): never => {
  host.write(formatCrash(error, host.time.now(), slice?.behaviour.logFormat))
  return exit(1)
}

/** Repeated signals have no further effect. */
const createTerminationSignal = (): AbortSignal => {
  const termination = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => termination.abort())
  return termination.signal
}

const main = async (): Promise<void> => {
  const code = await runTwin({
    host,
    env,
    args: process.argv.slice(2),
    readSlice: () => {
      slice = readSlice(host.files, env.REMEDIUM_SERVICE_FILE ?? SLICE_PATH, env.HOSTNAME ?? '')
      return slice
    },
    termination: createTerminationSignal(),
  })
  await host.close()
  exit(code)
}

process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)
main().catch(crash)
