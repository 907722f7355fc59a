/** The network of one program, as the program sees it. */
import type { ProgramConnection } from '#spec'
import { createProcess, type Endpoint, type Listener, type Process } from './model/endpoint.ts'
import type { NetworkState } from './model/network-state.ts'
import type { AddressTranslator } from './model/translate-address.ts'
import { createDnsRoutes } from './names/ask-servers.ts'
import type { ClusterDns } from './names/cluster-dns.ts'
import { resolveLocally, resolveName } from './names/resolve-name.ts'
import type { ResolverSettings } from './names/resolver-settings.ts'
import { portInUseError } from './network-error.ts'
import type { ProcessNetwork } from './sim-network.ts'
import { dialTarget } from './tcp/dial.ts'

export interface ProcessNetworkOptions {
  readonly network: NetworkState
  readonly dns: ClusterDns
  readonly translator: AddressTranslator
  readonly endpoint: Endpoint
  readonly settings: ResolverSettings
}

/** Throws an error of code `EADDRINUSE`. The returned function ends the listener. */
export const listenOn = (process: Process, listener: Listener): (() => void) => {
  const { listeners } = process.endpoint
  if (listeners.has(listener.port)) throw portInUseError(listener.port)
  listeners.set(listener.port, listener)
  return () => {
    if (listeners.get(listener.port) === listener) listeners.delete(listener.port)
  }
}

const endProcess = (process: Process): void => {
  if (process.isEnded) return
  process.isEnded = true
  process.waitingLookups.length = 0
  const { listeners } = process.endpoint
  for (const [port, listener] of [...listeners]) if (listener.process === process) listeners.delete(port)
  for (const part of [...process.parts]) part.end()
}

/** Resolves like the promise, or rejects with the reason of the signal. */
const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

export const createProcessNetwork = (options: ProcessNetworkOptions): ProcessNetwork => {
  const { network, translator, endpoint } = options
  const process = createProcess(endpoint)
  const resolver = { ...options, process, routes: createDnsRoutes(network, process) }

  const dial = (address: string, port: number, signal?: AbortSignal): Promise<ProgramConnection> =>
    dialTarget(network, process, translator.translate(endpoint, address, port), { port, signal })

  return {
    network: {
      address: endpoint.address,
      listen: (port, accept) => ({
        port,
        close: process.isEnded ? () => {} : listenOn(process, { port, accept, process }),
      }),
      lookup: (name) => resolveName(resolver, name),
      async connect(host, port, signal) {
        const [address] = resolveLocally(resolver, host) ?? []
        if (address !== undefined) return dial(address, port, signal)
        const [first] = await unlessAborted(resolveName(resolver, host), signal)
        return dial(first!, port, signal)
      },
    },
    isListening: (port) => endpoint.listeners.get(port)?.process === process,
    end: () => endProcess(process),
  }
}
