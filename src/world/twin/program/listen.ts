/** Starts the server of this process: a service, a store or a registry. */
import type { Protocol } from '#spec'
import { failingCommand, findDefect, type RunningBehaviour } from '#world/twin/behaviour'
import type { ListeningServer, ServiceProtocol } from '#world/twin/ports'
import { withMetrics } from './serve-metrics.ts'
import type { Settings } from './settings.ts'
import { StartFailure } from './start-failure.ts'
import { evaluateStore } from './store-options.ts'
import type { Twin } from './twin.ts'

const portOf = ({ slice, port }: Settings): number =>
  findDefect(slice.behaviour, 'wrong-port') === undefined ? port : port + 1

const listenAsService = async (
  protocol: ServiceProtocol,
  port: number,
  { host, settings, meter }: Twin,
  behaviour: RunningBehaviour,
): Promise<ListeningServer> => {
  const start = await host.protocols.serviceServer(protocol)
  const { rpc } = settings.slice.behaviour
  const handler = protocol === 'http' ? withMetrics(behaviour.handle, meter) : behaviour.handle
  return start({ port, handler, ...(rpc === undefined ? {} : { rpc }) })
}

/** Short enough for a probe with a few round trips to succeed within its timeout of one second. */
const SLOW_STORE_MS = 200

const slowMsOf = ({ settings }: Twin): number | undefined => {
  const slow = findDefect(settings.slice.behaviour, 'slow')
  return slow && (slow.ms ?? SLOW_STORE_MS)
}

const listenAsStore = async (protocol: Protocol, port: number, twin: Twin): Promise<ListeningServer> => {
  const { host, settings, log, meter } = twin
  const failing = failingCommand(settings.slice.behaviour)
  const slowMs = slowMsOf(twin)
  const options = {
    port,
    ...evaluateStore(settings),
    ...(slowMs === undefined ? {} : { slowMs }),
    ...(failing === undefined ? {} : { fails: (command: string) => command === failing }),
    log,
    onCommand: (command: string, durationMs: number, failure?: string) =>
      meter.commanded(command, failure === undefined ? 'ok' : 'failed', durationMs),
  }
  if (protocol === 'nacos' || protocol === 'consul' || protocol === 'jaeger') {
    const start = await host.protocols.registryServer(protocol)
    return start(options)
  }
  const start = await host.protocols.storeServer(protocol)
  return start(options)
}

/** Rejects with a StartFailure. */
export const listen = async (twin: Twin, behaviour: RunningBehaviour): Promise<ListeningServer> => {
  const { protocol } = twin.settings.slice.behaviour
  const port = portOf(twin.settings)
  try {
    return protocol === 'http' || protocol === 'grpc' || protocol === 'thrift'
      ? await listenAsService(protocol, port, twin, behaviour)
      : await listenAsStore(protocol, port, twin)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new StartFailure(
      code === 'EADDRINUSE' ? `listen tcp :${port}: bind: address already in use` : message,
    )
  }
}
