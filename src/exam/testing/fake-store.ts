/** For tests: runs the twin's stores in this process, and fakes a cluster in which such a store is a pod. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { type ApiObject, type FaultContext, type FaultTarget, podTemplateOf, type SystemView } from '#spec'
import type { StoreServerOptions } from '#world/twin/ports'
import { loadStoreClient, loadStoreServer } from '#world/twin/stores'

/** The port on which the store listens, or the error of an attempt to connect to it. */
export type StoreEndpoint = { readonly port: number } | Error

/** Fakes a cluster in which the store has one pod, created by its workload. Connections to it go to `endpoint`. */
export const fakeStoreContext = (
  system: SystemView,
  target: FaultTarget,
  endpoint: StoreEndpoint,
  pods?: readonly ApiObject[],
) => {
  const { kind, manifest } = system.workloadOf(target.service)
  const toOwner = (ownerKind: string, uid: string, owners: readonly object[]): ApiObject => ({
    ...manifest,
    kind: ownerKind,
    metadata: { ...manifest.metadata, uid, ownerReferences: owners },
  })
  const toReference = (ownerKind: string, uid: string) => ({
    kind: ownerKind,
    name: manifest.metadata.name,
    uid,
    controller: true,
  })
  const owners: Readonly<Record<string, ApiObject>> = {
    statefulsets: toOwner('StatefulSet', 'w', []),
    deployments: toOwner('Deployment', 'w', []),
    replicasets: toOwner('ReplicaSet', 'r', [toReference('Deployment', 'w')]),
  }
  const owner = kind === 'Deployment' ? toReference('ReplicaSet', 'r') : toReference('StatefulSet', 'w')
  const storePod: ApiObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'own', uid: 'own', ownerReferences: [owner] },
    spec: podTemplateOf(manifest)!.spec,
  }
  const commands: string[] = []
  const connectedUids: string[] = []
  const context = {
    ...{ system, target, params: {}, laboratory: 'laboratory', share: 1 },
    signal: new AbortController().signal,
    sleep: async () => {},
    connectTo: async (uid: string) => {
      connectedUids.push(uid)
      if (endpoint instanceof Error) throw endpoint
      const socket = connect(endpoint.port, '127.0.0.1')
      await once(socket, 'connect')
      return { kind: 'socket', socket }
    },
    api: {
      list: async () => ({ items: pods ?? [storePod], resourceVersion: '1' }),
      get: async ({ plural }: { plural: string }) => owners[plural]!,
      exec: async (_pod: unknown, command: readonly string[]) => {
        commands.push(command.join(' '))
        return { exitCode: 0, stdout: '', stderr: '' }
      },
    },
  } as unknown as FaultContext
  return { context, commands, connectedUids, storePod }
}

export const startStore = async (protocol: string, options: Partial<StoreServerOptions>) => {
  const start = await loadStoreServer(protocol)
  const server = await start({
    ...{ port: 0, users: [], databases: [], environment: { MYSQL_LOG_FOLDER: '/nowhere' } },
    ...{ log: () => undefined, onCommand: () => undefined, ...options },
  })
  onTestFinished(() => server.close())
  const createClient = await loadStoreClient(protocol)
  const address = async () => ({ host: '127.0.0.1', port: server.port })
  const client = createClient({
    address,
    ...(protocol === 'mysql' ? { login: { user: 'root', password: '' } } : {}),
  })
  onTestFinished(() => client.close())
  return { port: server.port, client }
}
