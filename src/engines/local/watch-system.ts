/** Telemetry of the system on a local cluster: from pods, API and control groups into one file. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../../kit/index.ts'
import type { ContainerRuntime, ProgramMount } from '../../kube/index.ts'
import { type ClusterTelemetry, type KubeApi, RemediumError } from '../../spec/index.ts'
import {
  type ConnectToPod,
  createTelemetry,
  createTelemetryStore,
  type FollowLogs,
  makePodSocketFolder,
} from '../../telemetry/index.ts'
import type { BootedCluster, SharingPod } from './boot-cluster.ts'
import { telemetryFileOf } from './machine/index.ts'
import { createVolumeStatistics } from './volume-statistics.ts'

/** Where programs in pods find the socket for spans. */
const INSIDE = '/run/remedium'

export interface WatchedSystem {
  readonly telemetry: ClusterTelemetry
  /** The system is as it should be, from now on until `pause`: what is not raises alerts. */
  begin(epoch: string): void
  pause(): void
  close(): Promise<void>
}

export interface WatchSystemOptions {
  booted: BootedCluster
  api: KubeApi
  clock: Clock
  /** Of the cluster. */
  folder: string
  namespace: string
  /** Instead of the one in the cluster's folder. */
  file: string | undefined
  onError(error: unknown): void
}

/** In it lies one of its own for each pod. */
const socketFolderOf = (folder: string): string => join(dirname(telemetryFileOf(folder)), 'sockets')

/** What the containers of a pod see: nothing but the socket of this pod. Pods that nobody watches have none. */
export const socketFolders =
  (folder: string, namespace: string) =>
  ({ metadata }: SharingPod): readonly ProgramMount[] =>
    metadata.namespace === namespace
      ? [{ source: makePodSocketFolder(socketFolderOf(folder), metadata.uid), destination: INSIDE }]
      : []

/** Before anything is started. */
export const checkTelemetryFile = (file: string | undefined): void => {
  if (file === undefined) return
  if (existsSync(file))
    throw new RemediumError('bad-argument', `The telemetry file ${file} exists already.`, {
      hint: 'Name one that is not there yet.',
    })
  if (!existsSync(dirname(file)))
    throw new RemediumError('bad-argument', `There is no folder ${dirname(file)} for the telemetry file.`)
}

/** What is in the API is what the runtime was given: the pod's spec does not change. */
type RuntimePod = Parameters<ContainerRuntime['logs']>[0]

const logsOf =
  ({ cluster }: BootedCluster): FollowLogs =>
  (pod, container, { onChunk, onEnd }) => {
    let ended = false
    let stop = (): void => {
      ended = true
    }
    const open = async (): Promise<void> => {
      const runtime = cluster.nodes.runtimeOf(pod.node)
      if (runtime === undefined) throw new Error(`no runtime has the node ${pod.node}`)
      const wanted = { previous: false, follow: true, timestamps: true }
      const stream = await runtime.logs(pod.object as unknown as RuntimePod, container, wanted)
      stop = () => stream.destroy()
      if (ended) stop()
      stream.on('data', onChunk)
      stream.on('error', () => {})
      stream.on('close', onEnd)
    }
    // A container that has gone meanwhile has nothing more to say.
    open().catch(onEnd)
    return () => stop()
  }

const connectionsOf =
  ({ cluster }: BootedCluster): ConnectToPod =>
  async (pod, port) => {
    const runtime = cluster.nodes.runtimeOf(pod.node)
    if (runtime === undefined) throw new Error(`no runtime has the node ${pod.node}`)
    return await runtime.connect(pod.object as unknown as RuntimePod, port)
  }

/** Resolves when spans can come: before the system is put on the cluster. */
export const watchSystem = async (options: WatchSystemOptions): Promise<WatchedSystem> => {
  const { booted, api, clock, folder, namespace, onError } = options
  mkdirSync(socketFolderOf(folder), { recursive: true })
  const store = createTelemetryStore({ file: options.file ?? telemetryFileOf(folder), clock, onError })
  try {
    const watching = await createTelemetry({
      store,
      api,
      clock,
      namespace,
      onError,
      socketFolder: socketFolderOf(folder),
      followLogs: logsOf(booted),
      connect: connectionsOf(booted),
      statistics: booted.statistics,
      volumes: createVolumeStatistics(booted.cluster.resources.client, folder),
    })
    return {
      telemetry: {
        query: store.query,
        sql: store.sql,
        renewAlerts: watching.renewAlerts,
        flush: store.flush,
        file: store.file,
        record(requests, journeys) {
          watching.recordRequests(requests)
          watching.recordJourneys(journeys)
        },
      },
      begin(epoch) {
        store.mark(epoch)
        watching.beginAlerts()
      },
      pause: watching.pauseAlerts,
      async close() {
        await watching.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
