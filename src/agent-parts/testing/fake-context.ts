/** A context for agents in tests: actions that answer by functions, models by role, and no time that passes. */
import type {
  ActionDescription,
  Agent,
  AgentContext,
  AgentStep,
  Briefing,
  LanguageModel,
  Observation,
} from '../../spec/index.ts'

export type FakeAction = (input: Record<string, unknown>) => Observation | string

const string = { type: 'string' }
const ANSWERS = {
  detected: { type: 'boolean' },
  services: { type: 'array', items: string },
  layer: string,
  type: string,
}

const describe = (name: string, properties: object, required: string[] = []): ActionDescription => ({
  name,
  about: `does ${name}`,
  input: { type: 'object', properties, required },
  isReadOnly: !['exec_shell', 'run_playbook', 'submit'].includes(name),
})

const DESCRIPTIONS: readonly ActionDescription[] = [
  describe('get_alerts', { all: { type: 'boolean' } }),
  describe('get_metrics', { service: string, since_seconds: { type: 'number' } }),
  describe('get_logs', { service: string }),
  describe('describe', { kind: string, name: string }, ['kind', 'name']),
  describe('exec_shell', { command: string }, ['command']),
  describe('run_playbook', { playbook: string }, ['playbook']),
  describe('submit', ANSWERS),
]

export const BRIEFING: Briefing = {
  task: 'remediation',
  system: 'simple-micro',
  namespace: 'simple-micro',
  report: { kind: 'label', text: 'hello-service suffers from cpu-stress.' },
  budget: { steps: 30, seconds: 600 },
}

export interface FakeWorld {
  readonly briefing?: Partial<Briefing>
  /** What actions answer; those that are not given say their name. */
  readonly actions?: Readonly<Record<string, FakeAction>>
  readonly available?: readonly string[]
  /** One for all roles, or by role. */
  readonly model?: LanguageModel | Readonly<Record<string, LanguageModel>>
  /** Steps after which the budget is spent. */
  readonly steps?: number
  readonly signal?: AbortSignal
}

export interface Played {
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  readonly thoughts: readonly AgentStep[]
  readonly slept: readonly number[]
  /** What it threw, if it did. */
  readonly error?: Error
}

const isModel = (model: object): model is LanguageModel => 'ask' in model

/** Lets an agent work to its end, and tells what it did. */
export const play = async (agent: Agent, world: FakeWorld = {}): Promise<Played> => {
  const calls: { name: string; input: unknown }[] = []
  const thoughts: AgentStep[] = []
  const slept: number[] = []
  const context: AgentContext = {
    briefing: { ...BRIEFING, ...world.briefing },
    actions: {
      available: DESCRIPTIONS.filter(({ name }) => world.available?.includes(name) ?? true),
      async call(name, input) {
        if (calls.length >= (world.steps ?? Number.POSITIVE_INFINITY)) throw new Error('budget spent')
        calls.push({ name, input })
        const answer = world.actions?.[name]?.(input as Record<string, unknown>) ?? `this is ${name}`
        return typeof answer === 'string' ? { ok: true, text: answer } : answer
      },
    },
    model(role) {
      const { model } = world
      const found = model === undefined || isModel(model) ? model : model[role]
      if (found === undefined) throw new Error(`no model for ${role}`)
      return found
    },
    signal: world.signal ?? new AbortController().signal,
    async sleep(milliseconds) {
      slept.push(milliseconds)
    },
  }
  try {
    for await (const step of agent.solve(context)) thoughts.push(step)
  } catch (thrown) {
    return { calls, thoughts, slept, error: thrown as Error }
  }
  return { calls, thoughts, slept }
}
