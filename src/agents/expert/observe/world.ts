/** The system as the Expert sees it through its actions: each thing is asked for when it is first needed, and remembered. */
import type {
  Actions,
  Alert,
  ApiObject,
  ClusterEvent,
  EndpointStatistics,
  JourneyStatistics,
  LogLine,
  SqlAnswer,
} from '../../../spec/index.ts'
import { isOver, type PodView, toPodView } from './pods.ts'
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
  /** None where the kind cannot be read. */
  objects(kind: string): Promise<readonly ApiObject[]>
  /** One of a name, with everything in it; Secrets in a list have their values masked. */
  object(kind: string, name: string): Promise<ApiObject | undefined>
  pods(): Promise<readonly PodView[]>
  podsOf(service: string): Promise<readonly PodView[]>
  workloads(): Promise<readonly WorkloadView[]>
  workloadOf(service: string): Promise<WorkloadView | undefined>
  calls(): Promise<readonly Call[]>
  metrics(): Promise<Metrics>
  /** Warnings of the last minutes, and who was scaled; the newest first. */
  events(): Promise<readonly ClusterEvent[]>
  /** What a service, or everybody, complains of in its logs: the newest first. */
  complaints(service?: string): Promise<readonly LogLine[]>
  /** What a command in a container says; nothing where it cannot be run. */
  ask(pod: string, container: string, command: string): Promise<string | undefined>
  /** Everything is asked for anew. */
  forget(): void
}

/** What counts as now. */
const RECENT_SECONDS = 6

/** By the clock of whoever collects, and never beyond the last reset of the cluster. */
const EVENTS_SQL = `
SELECT time, type, reason, object, service, message, count FROM events
WHERE (type = 'Warning' OR reason = 'ScalingReplicaSet')
  AND time > max((SELECT max(time) FROM metrics) - 90000, coalesce((SELECT max(time) FROM epochs), 0))
ORDER BY time DESC LIMIT 80`

export const createWorld = (actions: Actions, namespace: string): World => {
  const known = new Map<string, Promise<unknown>>()
  const canAct = actions.available.some(({ name }) => name === 'run_playbook')

  const once = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const asked = (known.get(key) as Promise<T> | undefined) ?? ask()
    known.set(key, asked)
    return asked
  }
  /** Refused questions are answered by what is empty: what cannot be seen is no evidence. */
  const call = async <T>(name: string, input: object, empty: T): Promise<T> => {
    const { ok, data } = await actions.call(name, input)
    return ok && data !== undefined && data !== null ? (data as T) : empty
  }
  const list = (kind: string, name?: string): Promise<readonly ApiObject[]> =>
    once(`${kind} ${name ?? ''}`, () =>
      call<readonly ApiObject[]>('get_objects', { kind, ...(name === undefined ? {} : { name }) }, []),
    )
  const viewsOf = async (kind: string, revisions: string): Promise<readonly WorkloadView[]> => {
    const objects = await list(kind)
    const history = objects.length === 0 ? [] : await list(revisions)
    return objects.map((object) => toWorkloadView(object, history))
  }

  const world: World = {
    namespace,
    alerts: () => once('alerts', () => call<readonly Alert[]>('get_alerts', {}, [])),
    objects: (kind) => list(kind),
    object: async (kind, name) => (await list(kind, name)).find(({ metadata }) => metadata.name === name),
    pods: async () =>
      (await list('Pod')).flatMap((object) => {
        const pod = toPodView(object)
        return pod === undefined || isOver(pod) ? [] : [pod]
      }),
    podsOf: async (service) => (await world.pods()).filter((pod) => pod.service === service),
    workloads: async () => [
      ...(await viewsOf('Deployment', 'ReplicaSet')),
      ...(await viewsOf('StatefulSet', 'ControllerRevision')),
    ],
    workloadOf: async (service) => {
      const isIt = (one: WorkloadView): boolean => one.service === service || one.name === service
      return (
        (await viewsOf('Deployment', 'ReplicaSet')).find(isIt) ??
        (await viewsOf('StatefulSet', 'ControllerRevision')).find(isIt)
      )
    },
    calls: () =>
      once('calls', async () => {
        const nothing: TopologyData = { services: [], edges: [], before: [] }
        return toCalls(await call('get_topology', { since_seconds: RECENT_SECONDS }, nothing))
      }),
    metrics: () =>
      once('metrics', async () => ({
        journeys: [],
        endpoints: [],
        usage: [],
        ...(await call<Partial<Metrics>>('get_metrics', { since_seconds: RECENT_SECONDS }, {})),
      })),
    events: () =>
      once('events', async () => {
        const nothing: SqlAnswer = { columns: [], rows: [], truncated: false }
        const { rows } = await call('query_telemetry', { sql: EVENTS_SQL.trim() }, nothing)
        return rows as unknown as readonly ClusterEvent[]
      }),
    complaints: (service) =>
      once(`complaints ${service ?? ''}`, async () => {
        const narrow = service === undefined ? {} : { service }
        const question = { ...narrow, severity: 'warn', since_seconds: 60, limit: 200 }
        return (await call<readonly LogLine[]>('get_logs', question, [])).toReversed()
      }),
    ask: (pod, container, command) =>
      once(`ask ${pod} ${container} ${command}`, async () => {
        // Those who may only look have no rights in a container.
        if (!canAct) return undefined
        const { exitCode, stdout } = await call<{ exitCode?: number; stdout?: string }>(
          'exec_shell',
          { command: `kubectl exec ${pod} -c ${container} -- ${command}`, timeout_seconds: 15 },
          {},
        )
        return exitCode === 0 ? (stdout ?? '') : undefined
      }),
    forget: () => known.clear(),
  }
  return world
}
