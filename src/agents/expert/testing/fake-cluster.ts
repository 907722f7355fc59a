/** A small system made of objects, calls and log lines, which answers the actions of an agent and notes what is done to it. */
import { yamlLibrary } from '../../../kit/index.ts'
import type {
  Actions,
  AgentContext,
  Alert,
  ApiObject,
  Briefing,
  ClusterEvent,
  EdgeStatistics,
  JourneyStatistics,
  LogLine,
  Observation,
} from '../../../spec/index.ts'
import type { Usage } from '../observe/usage.ts'

export interface FakeCluster {
  objects: ApiObject[]
  alerts: Alert[]
  edges: EdgeStatistics[]
  before: EdgeStatistics[]
  journeys: JourneyStatistics[]
  usage: Usage[]
  events: ClusterEvent[]
  logs: LogLine[]
  /** What a command in a pod says, by a part of the command. */
  answers: Record<string, string>
  /** What a playbook does to the cluster. */
  onPlaybook(tasks: readonly any[]): void
  /** Time that passes while the agent sleeps. */
  onSleep(ms: number): void
  /** Everything that was asked of it, in order. */
  readonly calls: { readonly name: string; readonly input: any }[]
}

export const NAMESPACE = 'shop'

export const createFakeCluster = (parts: Partial<FakeCluster> = {}): FakeCluster => ({
  objects: [],
  alerts: [],
  edges: [],
  before: [],
  journeys: [],
  usage: [],
  events: [],
  logs: [],
  answers: {},
  onPlaybook: () => {},
  onSleep: () => {},
  calls: [],
  ...parts,
})

const hide = (object: ApiObject): ApiObject =>
  object.kind === 'Secret'
    ? {
        ...object,
        data: Object.fromEntries(Object.keys((object.data ?? {}) as object).map((key) => [key, '(hidden)'])),
      }
    : object

const getObjects = (
  { objects }: FakeCluster,
  { kind, name }: { kind: string; name?: string },
): Observation => {
  const found = objects.filter(
    (one) => one.kind === kind && (name === undefined || one.metadata.name === name),
  )
  if (name !== undefined && found.length === 0) return { ok: false, text: `There is no ${kind} "${name}".` }
  return { ok: true, text: '', data: name === undefined ? found.map(hide) : found }
}

const runPlaybook = (cluster: FakeCluster, text: string): Observation => {
  const [play] = yamlLibrary().parse(text) as readonly { tasks: readonly any[] }[]
  cluster.onPlaybook(play!.tasks)
  return {
    ok: true,
    text: 'The playbook ran, and every task went well.',
    data: { ok: true, tasks: [], output: '' },
  }
}

const answer = (cluster: FakeCluster, name: string, input: any): Observation => {
  const { alerts, edges, before, journeys, usage, events, logs, answers } = cluster
  if (name === 'get_alerts') return { ok: true, text: '', data: alerts }
  if (name === 'get_topology') return { ok: true, text: '', data: { services: [], edges, before } }
  if (name === 'get_metrics') return { ok: true, text: '', data: { journeys, endpoints: [], usage } }
  if (name === 'query_telemetry')
    return { ok: true, text: '', data: { columns: [], rows: events, truncated: false } }
  if (name === 'get_logs') {
    const found = logs.filter(({ service }) => input.service === undefined || service === input.service)
    return { ok: true, text: '', data: found }
  }
  if (name === 'get_objects') return getObjects(cluster, input)
  if (name === 'run_playbook') return runPlaybook(cluster, input.playbook)
  if (name === 'submit') return { ok: true, text: 'Submitted.', data: input }
  const said = Object.entries(answers).find(([part]) => String(input.command).includes(part))?.[1]
  return said === undefined
    ? { ok: false, text: 'exit code 1', data: { exitCode: 1, stdout: '', stderr: '' } }
    : { ok: true, text: said, data: { exitCode: 0, stdout: said, stderr: '' } }
}

export const actionsOf = (cluster: FakeCluster): Actions => ({
  available: [{ name: 'run_playbook', about: 'runs a playbook', input: {}, isReadOnly: false }],
  async call(name, input) {
    cluster.calls.push({ name, input })
    return answer(cluster, name, input)
  },
})

const REPORTS: Readonly<Record<Briefing['report']['kind'], string>> = {
  label: '',
  symptoms: 'Alerts that are raised:\n- none\n',
  none: 'Somebody says that it may not work as it should.\n',
}

export const contextOf = (
  cluster: FakeCluster,
  {
    task = 'mitigation',
    label,
    steps = 40,
  }: { task?: Briefing['task']; label?: readonly (readonly [string, string])[]; steps?: number } = {},
): AgentContext => {
  const kind = label === undefined ? 'none' : 'label'
  const named = (label ?? []).map(
    ([service, category]) => `root cause: ${service}\nfailure category: ${category}`,
  )
  const text = `The microservice system shop runs on Kubernetes, in the namespace ${NAMESPACE}.\n\n${label === undefined ? REPORTS[kind] : named.join('\n\n')}\n`
  return {
    briefing: {
      task,
      system: 'shop',
      namespace: NAMESPACE,
      report: { kind, text },
      budget: { steps, seconds: 600 },
    },
    actions: actionsOf(cluster),
    model: () => {
      throw new Error('the Expert asks no model')
    },
    signal: new AbortController().signal,
    sleep: async (ms) => cluster.onSleep(ms),
  }
}
