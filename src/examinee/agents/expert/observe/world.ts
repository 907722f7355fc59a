/** The state of the system, read through actions on demand and cached until `refresh`. */
import { defined } from '#kit'
import type {
  Actions,
  Alert,
  ApiObject,
  ClusterEvent,
  EndpointStatistics,
  JourneyStatistics,
  LogLine,
  SqlAnswer,
} from '#spec'
import { createCachedActions } from './cached-actions.ts'
import { isFinished, type PodView, toPodView } from './pods.ts'
import { type Call, type TopologyData, toCalls } from './traffic.ts'
import type { Usage } from './usage.ts'
import { toWorkloadView, type WorkloadView } from './workloads.ts'

export interface Metrics {
  readonly journeys: readonly JourneyStatistics[]
  readonly endpoints: readonly EndpointStatistics[]
  readonly usage: readonly Usage[]
}

export interface World {
  readonly namespace: string
  alerts(): Promise<readonly Alert[]>
  /** Returns an empty list if the kind cannot be read. */
  objects(kind: string): Promise<readonly ApiObject[]>
  /** Returns the complete object. In lists, the values of Secrets are hidden. */
  object(kind: string, name: string): Promise<ApiObject | undefined>
  pods(): Promise<readonly PodView[]>
  podsOf(service: string): Promise<readonly PodView[]>
  workloads(): Promise<readonly WorkloadView[]>
  workloadOf(service: string): Promise<WorkloadView | undefined>
  calls(): Promise<readonly Call[]>
  metrics(): Promise<Metrics>
  /** Recent warnings and scaling events, newest first. */
  events(): Promise<readonly ClusterEvent[]>
  /** Log lines of a service, or of all services, with the severity warn or error; newest first. */
  warnings(service?: string): Promise<readonly LogLine[]>
  /** Returns the standard output of a command in a container, or undefined if it failed. */
  exec(pod: string, container: string, command: string): Promise<string | undefined>
  /** Clears the cache. */
  refresh(): void
}

/** The length of the period that counts as now. */
const RECENT_SECONDS = 6

/** Uses the clock of the telemetry, and excludes events before the last reset. */
const EVENTS_SQL = `
SELECT time, type, reason, object, service, message, count FROM events
WHERE (type = 'Warning' OR reason = 'ScalingReplicaSet')
  AND time > max((SELECT max(time) FROM metrics) - 90000, coalesce((SELECT max(time) FROM epochs), 0))
ORDER BY time DESC LIMIT 80`

export const createWorld = (actions: Actions, namespace: string): World => {
  const { readCached, call, list, clear } = createCachedActions(actions)
  const canExec = actions.available.some(({ name }) => name === 'run_playbook')
  const listWorkloads = async (kind: string, revisions: string): Promise<readonly WorkloadView[]> => {
    const objects = await list(kind)
    const history = objects.length === 0 ? [] : await list(revisions)
    return objects.map((object) => toWorkloadView(object, history))
  }

  const world: World = {
    namespace,
    alerts: () => readCached('alerts', () => call<readonly Alert[]>('get_alerts', {}, [])),
    objects: (kind) => list(kind),
    object: async (kind, name) => (await list(kind, name)).find(({ metadata }) => metadata.name === name),
    pods: async () =>
      (await list('Pod')).flatMap((object) => {
        const pod = toPodView(object)
        return pod === undefined || isFinished(pod) ? [] : [pod]
      }),
    podsOf: async (service) => (await world.pods()).filter((pod) => pod.service === service),
    workloads: async () => [
      ...(await listWorkloads('Deployment', 'ReplicaSet')),
      ...(await listWorkloads('StatefulSet', 'ControllerRevision')),
    ],
    workloadOf: async (service) => {
      const isOfService = (workload: WorkloadView): boolean =>
        workload.service === service || workload.name === service
      return (
        (await listWorkloads('Deployment', 'ReplicaSet')).find(isOfService) ??
        (await listWorkloads('StatefulSet', 'ControllerRevision')).find(isOfService)
      )
    },
    calls: () =>
      readCached('calls', async () => {
        const noData: TopologyData = { services: [], edges: [], before: [] }
        return toCalls(await call('get_topology', { since_seconds: RECENT_SECONDS }, noData))
      }),
    metrics: () =>
      readCached('metrics', async () => ({
        journeys: [],
        endpoints: [],
        usage: [],
        ...(await call<Partial<Metrics>>('get_metrics', { since_seconds: RECENT_SECONDS }, {})),
      })),
    events: () =>
      readCached('events', async () => {
        const noData: SqlAnswer = { columns: [], rows: [], truncated: false }
        const { rows } = await call('query_telemetry', { sql: EVENTS_SQL.trim() }, noData)
        return rows as unknown as readonly ClusterEvent[]
      }),
    warnings: (service) =>
      readCached(`warnings ${service ?? ''}`, async () => {
        const filter = { ...defined({ service }), severity: 'warn', since_seconds: 60, limit: 200 }
        return (await call<readonly LogLine[]>('get_logs', filter, [])).toReversed()
      }),
    exec: (pod, container, command) =>
      readCached(`exec ${pod} ${container} ${command}`, async () => {
        // Read-only accounts cannot run commands in containers.
        if (!canExec) return undefined
        const { exitCode, stdout } = await call<{ exitCode?: number; stdout?: string }>(
          'exec_shell',
          { command: `kubectl exec ${pod} -c ${container} -- ${command}`, timeout_seconds: 15 },
          {},
        )
        return exitCode === 0 ? (stdout ?? '') : undefined
      }),
    refresh: clear,
  }
  return world
}
