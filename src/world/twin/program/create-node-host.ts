/** The host of a twin that runs in a process of the operating system. */
import { readdirSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import type { ListeningServer, TwinHost, TwinProtocols } from '#world/twin/ports'
import {
  createOutput,
  createProcessResources,
  createSpanExporter,
  type Output,
  startSlowRelay,
} from '#world/twin/process'
import { loadServiceClient, loadServiceServer } from '#world/twin/protocols'
import { loadRegistryClient, loadRegistryServer } from '#world/twin/registries'
import { loadStoreClient, loadStoreServer } from '#world/twin/stores'

export interface NodeHostOptions {
  readonly env: Readonly<Record<string, string>>
  /** The Unix socket that receives the spans. */
  readonly telemetryPath: string
  /** The standard output by default. */
  readonly output?: Output
}

export interface NodeHost extends TwinHost {
  /** Writes pending output before the process exits. */
  flush(): void
  /** Sends the pending spans and waits a limited time for completion. */
  close(): Promise<void>
}

const findPodAddress = (): string =>
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address !== undefined && !address.internal && address.family === 'IPv4')?.address ??
  '127.0.0.1'

const countDescriptors = (): number => {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

interface SlowableOptions {
  readonly port: number
  readonly slowMs?: number
}

/** Puts a relay before the server of a slow release. */
const withRelay =
  <T extends SlowableOptions>(start: (options: T) => Promise<ListeningServer>) =>
  async (options: T): Promise<ListeningServer> =>
    options.slowMs === undefined
      ? start(options)
      : startSlowRelay(options.port, options.slowMs, await start({ ...options, port: 0 }))

const NODE_PROTOCOLS: TwinProtocols = {
  serviceServer: loadServiceServer,
  serviceClient: loadServiceClient,
  storeServer: async (protocol) => withRelay(await loadStoreServer(protocol)),
  storeClient: loadStoreClient,
  registryServer: async (protocol) => withRelay(await loadRegistryServer(protocol)),
  registryClient: loadRegistryClient,
}

export const createNodeHost = ({
  env,
  telemetryPath,
  output = createOutput(),
}: NodeHostOptions): NodeHost => {
  const exporter = createSpanExporter(telemetryPath)
  return {
    ...createProcessResources(),
    pod: env.HOSTNAME ?? hostname(),
    get address() {
      return findPodAddress()
    },
    protocols: NODE_PROTOCOLS,
    write: output.write,
    exportSpan: exporter.add,
    counts: () => ({
      droppedSpans: exporter.dropped,
      droppedLines: output.dropped,
      openDescriptors: countDescriptors(),
    }),
    flush: output.flush,
    close: exporter.close,
  }
}
