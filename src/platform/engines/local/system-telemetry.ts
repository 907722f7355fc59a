/** Collects the telemetry of the system on a local cluster. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '#kit'
import { telemetryFileOf } from '#platform/engines/folders'
import type { ContainerRuntime, ProgramMount } from '#platform/kube'
import {
  type ConnectToPod,
  createSpanSockets,
  createTelemetry,
  createTelemetryStore,
  type FollowLogs,
  makePodSocketFolder,
  readMetricsOverHttp,
} from '#platform/telemetry'
import { type ClusterTelemetry, type KubeApi, RemediumError } from '#spec'
import type { BootedCluster, SharingPod } from './boot-cluster.ts'
import { createVolumeStatistics } from './volume-statistics.ts'

/** The mount path of the span socket in pods. */
const MOUNT_PATH = '/run/remedium'

export interface SystemTelemetry {
  readonly telemetry: ClusterTelemetry
  /** Starts the evaluation of alerts; must be called when the system is healthy. */
  startAlerts(epoch: string): void
  pause(): void
  close(): Promise<void>
}

export interface SystemTelemetryOptions {
  booted: BootedCluster
  api: KubeApi
  clock: Clock
  /** The folder of the cluster. */
  folder: string
  namespace: string
  /** The telemetry file; by default, a file in the cluster's folder. */
  file: string | undefined
  onError(error: unknown): void
}

/** The folder with one socket folder per pod. */
const socketFolderOf = (folder: string): string => join(dirname(telemetryFileOf(folder)), 'sockets')

/** Mounts the socket folder of a pod into its containers. Pods in other namespaces get no mount. */
export const socketMountsOf =
  (folder: string, namespace: string) =>
  ({ metadata }: SharingPod): readonly ProgramMount[] =>
    metadata.namespace === namespace
      ? [{ source: makePodSocketFolder(socketFolderOf(folder), metadata.uid), destination: MOUNT_PATH }]
      : []

/** Throws if the telemetry file exists or its folder does not. */
export const checkTelemetryFile = (file: string | undefined): void => {
  if (file === undefined) return
  if (existsSync(file))
    throw new RemediumError('bad-argument', `The telemetry file ${file} already exists.`, {
      hint: 'Choose a file that does not exist.',
    })
  if (!existsSync(dirname(file)))
    throw new RemediumError(
      'bad-argument',
      `The folder ${dirname(file)} of the telemetry file does not exist.`,
    )
}

/** A pod from the API can be passed to the runtime, because the spec of a pod does not change. */
type RuntimePod = Parameters<ContainerRuntime['logs']>[0]

const createLogFollower =
  ({ cluster }: BootedCluster): FollowLogs =>
  (pod, container, { onChunk, onEnd }) => {
    let ended = false
    let stop = (): void => {
      ended = true
    }
    const openLog = async (): Promise<void> => {
      const runtime = cluster.nodes.runtimeOf(pod.node)
      if (runtime === undefined) throw new Error(`the node ${pod.node} has no runtime`)
      const logOptions = { previous: false, follow: true, timestamps: true }
      const stream = await runtime.logs(pod.object as unknown as RuntimePod, container, logOptions)
      stop = () => stream.destroy()
      if (ended) stop()
      stream.on('data', onChunk)
      stream.on('error', () => {})
      stream.on('close', onEnd)
    }
    // Opening fails if the container has been removed.
    openLog().catch(onEnd)
    return () => stop()
  }

const createPodConnector =
  ({ cluster }: BootedCluster): ConnectToPod =>
  async (pod, port) => {
    const runtime = cluster.nodes.runtimeOf(pod.node)
    if (runtime === undefined) throw new Error(`the node ${pod.node} has no runtime`)
    return await runtime.connect(pod.object as unknown as RuntimePod, port)
  }

/** Resolves when spans can be received; must be called before the system is deployed. */
export const startSystemTelemetry = async (options: SystemTelemetryOptions): Promise<SystemTelemetry> => {
  const { booted, api, clock, folder, namespace, onError } = options
  mkdirSync(socketFolderOf(folder), { recursive: true })
  const store = createTelemetryStore({ file: options.file ?? telemetryFileOf(folder), clock, onError })
  try {
    const collector = await createTelemetry({
      store,
      api,
      clock,
      namespace,
      onError,
      openSpans: (receiver) => createSpanSockets({ folder: socketFolderOf(folder), ...receiver }),
      followLogs: createLogFollower(booted),
      readMetrics: readMetricsOverHttp(createPodConnector(booted), clock),
      statistics: booted.statistics,
      volumes: createVolumeStatistics(booted.cluster.resources.client, folder),
    })
    return {
      telemetry: {
        query: store.query,
        sql: store.sql,
        renewAlerts: collector.renewAlerts,
        flush: store.flush,
        file: store.file,
        record(requests, journeys) {
          collector.recordRequests(requests)
          collector.recordJourneys(journeys)
        },
      },
      startAlerts(epoch) {
        store.mark(epoch)
        collector.startAlerts()
      },
      pause: collector.pauseAlerts,
      async close() {
        await collector.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
