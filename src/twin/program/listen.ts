/** Opens the port of a service, of a store or of a registry, whichever this process is. */
import type { Wire } from '../../spec/index.ts'
import { failingCommand, findDefect, type RunningBehaviour } from '../behaviour/index.ts'
import type { ListeningServer } from '../ports/index.ts'
import { loadRegistryServer } from '../registries/index.ts'
import { loadStoreServer } from '../stores/index.ts'
import { loadServiceServer } from '../wires/index.ts'
import { withMetrics } from './serve-metrics.ts'
import type { Settings } from './settings.ts'
import { startSlowRelay } from './slow-relay.ts'
import { StartFailure } from './start-failure.ts'
import { evaluateStore } from './store-options.ts'
import type { Twin } from './twin.ts'

const portOf = ({ slice, port }: Settings): number =>
  findDefect(slice.behaviour, 'wrong-port') === undefined ? port : port + 1

const listenAsService = async (
  wire: 'http' | 'grpc' | 'thrift',
  port: number,
  { settings, meter }: Twin,
  behaviour: RunningBehaviour,
): Promise<ListeningServer> => {
  const start = await loadServiceServer(wire)
  const { rpc } = settings.slice.behaviour
  const handler = wire === 'http' ? withMetrics(behaviour.handle, meter) : behaviour.handle
  return start({ port, handler, ...(rpc === undefined ? {} : { rpc }) })
}

/** So that a probe, which says a few things one after the other, still has its answer within a second. */
const SLOW_STORE_MS = 200

const listenAsStore = async (wire: Wire, port: number, twin: Twin): Promise<ListeningServer> => {
  const slow = findDefect(twin.settings.slice.behaviour, 'slow')
  if (slow === undefined) return startStore(wire, port, twin)
  return startSlowRelay(port, slow.ms ?? SLOW_STORE_MS, await startStore(wire, 0, twin))
}

const startStore = async (wire: Wire, port: number, twin: Twin): Promise<ListeningServer> => {
  const { settings, log, meter } = twin
  const failing = failingCommand(settings.slice.behaviour)
  const options = {
    port,
    ...evaluateStore(settings),
    ...(failing === undefined ? {} : { fails: (command: string) => command === failing }),
    log,
    onCommand: (command: string, durationMs: number, failure?: string) =>
      meter.commanded(command, failure === undefined ? 'ok' : 'failed', durationMs),
  }
  if (wire === 'nacos' || wire === 'consul' || wire === 'jaeger') {
    const start = await loadRegistryServer(wire)
    return start(options)
  }
  const start = await loadStoreServer(wire)
  return start(options)
}

/** Rejects with a StartFailure. */
export const listen = async (twin: Twin, behaviour: RunningBehaviour): Promise<ListeningServer> => {
  const { wire } = twin.settings.slice.behaviour
  const port = portOf(twin.settings)
  try {
    return wire === 'http' || wire === 'grpc' || wire === 'thrift'
      ? await listenAsService(wire, port, twin, behaviour)
      : await listenAsStore(wire, port, twin)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new StartFailure(
      code === 'EADDRINUSE' ? `listen tcp :${port}: bind: address already in use` : message,
    )
  }
}
