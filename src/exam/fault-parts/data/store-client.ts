/** Queries a data store from the laboratory with its own protocol, without running a program in its pod. */
import { type FaultContext, type PodRoute, RemediumError, type SystemView } from '#spec'
import type { StoreClient, StoreLogin } from '#world/twin/stores'
import { mainContainer } from '../workloads/containers.ts'
import { findStorePod } from './find-store-pod.ts'
import { closePodConnection, openStoreClient } from './open-store-client.ts'
import { variableOf } from './store-shell.ts'

export type StoreContext = Pick<FaultContext, 'api' | 'system' | 'signal' | 'connectTo'>

export interface StoreAccess {
  /** The administrator by default. */
  readonly login?: StoreLogin
  /** Some stores admit the administrator only on the loopback interface, which is the default. */
  readonly via?: PodRoute
}

export const protocolOf = (system: SystemView, store: string): string | undefined =>
  system.topology?.services[store]?.behaviour.protocol

/** Undefined if the store requires no login. */
const administratorOf = (system: SystemView, store: string): StoreLogin | undefined => {
  if (protocolOf(system, store) === 'mysql') return { user: 'root', password: '' }
  const user = variableOf(system, store, 'MONGO_INITDB_ROOT_USERNAME')
  const password = variableOf(system, store, 'MONGO_INITDB_ROOT_PASSWORD') ?? ''
  return user === undefined ? undefined : { user, password }
}

const portOf = (system: SystemView, store: string): number => {
  const port = mainContainer(system, store).ports?.[0]?.containerPort
  if (port === undefined) throw new RemediumError('defect', `The container of ${store} has no port.`)
  return port
}

/** Resolves to the result of `work`. Rejects if the store cannot be reached. */
export const queryStore = async <T>(
  context: StoreContext,
  store: string,
  { login, via = 'loopback' }: StoreAccess,
  work: (client: StoreClient) => Promise<T>,
): Promise<T> => {
  const { system, signal, connectTo } = context
  if (connectTo === undefined) throw new Error('the engine cannot connect to pods')
  const port = portOf(system, store)
  const pod = await findStorePod(context, store)
  const connection = await connectTo(String(pod.metadata.uid), port, via)
  let client: StoreClient | undefined
  const closeConnection = (): void => {
    client?.close()
    closePodConnection(connection)
  }
  signal.addEventListener('abort', closeConnection, { once: true })
  try {
    client = await openStoreClient(connection, {
      protocol: protocolOf(system, store) ?? '',
      address: { host: store, port },
      login: login ?? administratorOf(system, store),
    })
    signal.throwIfAborted()
    return await work(client)
  } finally {
    signal.removeEventListener('abort', closeConnection)
    closeConnection()
  }
}
