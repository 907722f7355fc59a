/** Runs an agent in tests: actions are functions, models are given by role, and no time passes. */
import type {
  ActionDescription,
  Agent,
  AgentContext,
  AgentStep,
  Briefing,
  LanguageModel,
  Observation,
  ReportedUsage,
  ReportedVerdict,
} from '#spec'

export type FakeAction = (input: Record<string, unknown>) => Observation | string

const STRING = { type: 'string' }
const ANSWERS = {
  detected: { type: 'boolean' },
  services: { type: 'array', items: STRING },
  layer: STRING,
  type: STRING,
}

const toDescription = (name: string, properties: object, required: string[] = []): ActionDescription => ({
  name,
  about: `does ${name}`,
  input: { type: 'object', properties, required },
  isReadOnly: !['exec_shell', 'run_playbook', 'submit'].includes(name),
  reach: ['exec_shell', 'run_playbook'].includes(name) ? 'pods' : 'nothing',
})

const DESCRIPTIONS: readonly ActionDescription[] = [
  toDescription('get_alerts', { all: { type: 'boolean' } }),
  toDescription('get_metrics', { service: STRING, since_seconds: { type: 'number' } }),
  toDescription('get_logs', { service: STRING }),
  toDescription('describe', { kind: STRING, name: STRING }, ['kind', 'name']),
  toDescription('exec_shell', { command: STRING }, ['command']),
  toDescription('run_playbook', { playbook: STRING }, ['playbook']),
  toDescription('submit', ANSWERS),
]

export const BRIEFING: Briefing = {
  task: 'remediation',
  system: 'simple-micro',
  namespace: 'simple-micro',
  report: { kind: 'label', text: 'hello-service suffers from cpu-stress.' },
  budget: { steps: 30, seconds: 600 },
}

export interface PlayOptions {
  readonly briefing?: Partial<Briefing>
  /** Keyed by action name. By default, an action returns a sentence with its name. */
  readonly actions?: Readonly<Record<string, FakeAction>>
  readonly available?: readonly string[]
  /** One model for all roles, or a model by role. */
  readonly model?: LanguageModel | Readonly<Record<string, LanguageModel>>
  /** The number of steps after which the budget is spent. */
  readonly steps?: number
  readonly signal?: AbortSignal
  /** Whether the context has `onVerdict`. */
  readonly reportsVerdict?: boolean
}

export interface PlayResult {
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  readonly thoughts: readonly AgentStep[]
  readonly slept: readonly number[]
  readonly usage: readonly ReportedUsage[]
  /** The function that the agent has registered with `onVerdict`. */
  readonly onVerdict: ((verdict: ReportedVerdict | undefined) => Promise<void>) | undefined
  /** The error that the agent has thrown. */
  readonly error?: Error
}

const isModel = (model: object): model is LanguageModel => 'ask' in model

/** Runs an agent to its end, and returns what it did. */
export const play = async (agent: Agent, options: PlayOptions = {}): Promise<PlayResult> => {
  const calls: { name: string; input: unknown }[] = []
  const thoughts: AgentStep[] = []
  const slept: number[] = []
  const usage: ReportedUsage[] = []
  let onVerdict: ((verdict: ReportedVerdict | undefined) => Promise<void>) | undefined
  const context: AgentContext = {
    episode: 'an-episode',
    reportUsage: (reported) => void usage.push(reported),
    ...(options.reportsVerdict === true
      ? {
          onVerdict(listener) {
            onVerdict = listener
          },
        }
      : {}),
    briefing: { ...BRIEFING, ...options.briefing },
    actions: {
      available: DESCRIPTIONS.filter(({ name }) => options.available?.includes(name) ?? true),
      async call(name, input) {
        if (calls.length >= (options.steps ?? Number.POSITIVE_INFINITY)) throw new Error('budget spent')
        calls.push({ name, input })
        const answer = options.actions?.[name]?.(input as Record<string, unknown>) ?? `this is ${name}`
        return typeof answer === 'string' ? { ok: true, text: answer } : answer
      },
    },
    model(role) {
      const { model } = options
      const roleModel = model === undefined || isModel(model) ? model : model[role]
      if (roleModel === undefined) throw new Error(`no model for ${role}`)
      return roleModel
    },
    signal: options.signal ?? new AbortController().signal,
    waitOutside: (work) => work,
    async sleep(milliseconds) {
      slept.push(milliseconds)
    },
  }
  try {
    for await (const step of agent.solve(context)) thoughts.push(step)
  } catch (thrown) {
    return { calls, thoughts, slept, usage, onVerdict, error: thrown as Error }
  }
  return { calls, thoughts, slept, usage, onVerdict }
}
