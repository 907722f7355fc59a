/** A fake system of objects, calls and log lines that answers actions and records them. */
import { yamlLibrary } from '#kit'
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
} from '#spec'
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
  /** The output of commands in pods, by a part of the command. */
  answers: Record<string, string>
  /** Applies the tasks of a playbook to the fake system. */
  onPlaybook(tasks: readonly any[]): void
  /** Called when the agent sleeps. */
  onSleep(ms: number): void
  /** All calls of actions, in order. */
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

const hideSecretValues = (object: ApiObject): ApiObject =>
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
  const matching = objects.filter(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  )
  if (name !== undefined && matching.length === 0)
    return { ok: false, text: `The ${kind} "${name}" does not exist.` }
  return { ok: true, text: '', data: name === undefined ? matching.map(hideSecretValues) : matching }
}

const runPlaybook = (cluster: FakeCluster, text: string): Observation => {
  const [play] = yamlLibrary().parse(text) as readonly { tasks: readonly any[] }[]
  cluster.onPlaybook(play!.tasks)
  return {
    ok: true,
    text: 'The playbook completed. No task failed.',
    data: { ok: true, tasks: [], output: '' },
  }
}

const answerAction = (cluster: FakeCluster, name: string, input: any): Observation => {
  const { alerts, edges, before, journeys, usage, events, logs, answers } = cluster
  if (name === 'get_alerts') return { ok: true, text: '', data: alerts }
  if (name === 'get_topology') return { ok: true, text: '', data: { services: [], edges, before } }
  if (name === 'get_metrics') return { ok: true, text: '', data: { journeys, endpoints: [], usage } }
  if (name === 'query_telemetry')
    return { ok: true, text: '', data: { columns: [], rows: events, truncated: false } }
  if (name === 'get_logs') {
    const matching = logs.filter(({ service }) => input.service === undefined || service === input.service)
    return { ok: true, text: '', data: matching }
  }
  if (name === 'get_objects') return getObjects(cluster, input)
  if (name === 'run_playbook') return runPlaybook(cluster, input.playbook)
  if (name === 'submit') return { ok: true, text: 'Submitted.', data: input }
  const output = Object.entries(answers).find(([part]) => String(input.command).includes(part))?.[1]
  return output === undefined
    ? { ok: false, text: 'exit code 1', data: { exitCode: 1, stdout: '', stderr: '' } }
    : { ok: true, text: output, data: { exitCode: 0, stdout: output, stderr: '' } }
}

export const actionsOf = (cluster: FakeCluster): Actions => ({
  available: [
    { name: 'run_playbook', about: 'runs a playbook', input: {}, isReadOnly: false, reach: 'pods' },
  ],
  async call(name, input) {
    cluster.calls.push({ name, input })
    return answerAction(cluster, name, input)
  },
})

const REPORTS: Readonly<Record<Briefing['report']['kind'], string>> = {
  label: '',
  symptoms: 'Active alerts:\n- none\n',
  none: 'The system may be faulty.\n',
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
  const causes = (label ?? []).map(
    ([service, category]) => `root cause: ${service}\nfailure category: ${category}`,
  )
  const text = `The microservice system shop runs on Kubernetes, in the namespace ${NAMESPACE}.\n\n${label === undefined ? REPORTS[kind] : causes.join('\n\n')}\n`
  return {
    episode: 'an-episode',
    reportUsage() {},
    briefing: {
      task,
      system: 'shop',
      namespace: NAMESPACE,
      report: { kind, text },
      budget: { steps, seconds: 600 },
    },
    actions: actionsOf(cluster),
    model: () => {
      throw new Error('the Expert has no model')
    },
    signal: new AbortController().signal,
    waitOutside: (work) => work,
    sleep: async (ms) => cluster.onSleep(ms),
  }
}
