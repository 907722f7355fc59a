/** The options of `remedium run`, and what can be said against them before anything is done. */
import { resolve } from 'node:path'
import { RemediumError, type RunManifest, type RunSettings } from '../../spec/index.ts'
import type { OptionValues } from '../define-command.ts'
import { givenOptions } from '../given-options.ts'

export const RUN_OPTIONS = {
  system: { type: 'string', value: 'SYSTEM', about: 'only problems of this system', multiple: true },
  agent: {
    type: 'string',
    value: 'AGENT',
    about: 'who tries, see "remedium agents"; expert, or react where a model is named',
    multiple: true,
  },
  model: {
    type: 'string',
    value: '[ROLE=]PROVIDER:NAME',
    about: 'a model for all of an agent\'s parts, or for one of them; see "remedium models"',
    multiple: true,
  },
  workers: { type: 'integer', value: 'N', about: 'clusters side by side', default: 2, least: 1 },
  epochs: {
    type: 'integer',
    value: 'N',
    about: 'how many times each problem is tried',
    default: 1,
    least: 1,
  },
  limit: { type: 'integer', value: 'N', about: 'only the first so many problems', least: 1 },
  fault: {
    type: 'string',
    value: 'FAULT',
    about: 'only problems of this fault; without a suite: one drawn on each --system',
    multiple: true,
  },
  task: { type: 'string', value: 'TASK', about: 'only problems of this task', multiple: true },
  category: { type: 'string', value: 'CATEGORY', about: 'only faults of this category', multiple: true },
  seed: {
    type: 'string',
    value: 'SEED',
    about: "what problems are drawn from, instead of a suite's own seed",
  },
  'dry-run': { type: 'boolean', about: 'say what would be done, and do nothing' },
  out: { type: 'string', value: 'DIR', about: 'the folder of the run (default: runs/TIME-SUITE)' },
  resume: { type: 'string', value: 'DIR', about: 'go on with the run in this folder' },
  'any-commit': { type: 'boolean', about: 'go on with a run of another commit' },
  engine: {
    type: 'string',
    value: 'ENGINE',
    about: 'where clusters come from: local',
    default: 'local',
    choices: ['local'],
  },
  rollback: {
    type: 'string',
    value: 'WHEN',
    about: 'take back what a playbook did: never, on-failure or on-harm',
    default: 'never',
    choices: ['never', 'on-failure', 'on-harm'],
  },
  steps: {
    type: 'integer',
    value: 'N',
    about: "actions of an agent, instead of the problem's own budget",
    least: 1,
  },
  seconds: {
    type: 'integer',
    value: 'N',
    about: "time of an agent, instead of the problem's own budget",
    least: 1,
  },
  tokens: { type: 'integer', value: 'N', about: 'tokens that an agent may use in an episode', least: 1 },
  cost: { type: 'string', value: 'USD', about: 'what models may cost in an episode, where prices are known' },
  allow: { type: 'string', value: 'ACTION', about: 'let agents take only these actions', multiple: true },
  deny: { type: 'string', value: 'ACTION', about: 'never let agents take this action', multiple: true },
  approve: { type: 'boolean', about: 'ask on the terminal before an action that changes something' },
  external: { type: 'string', value: 'COMMAND', about: 'the program that the agent "external" is' },
  set: {
    type: 'string',
    value: 'AGENT.NAME=VALUE',
    about: 'an option of an agent, such as think-remed.trials=5; see docs/agents.md',
    multiple: true,
  },
  tools: {
    type: 'string',
    value: 'HOW',
    about: 'how models call tools: auto, native or text',
    default: 'auto',
    choices: ['auto', 'native', 'text'],
  },
  'base-url': { type: 'string', value: 'URL', about: 'where the provider of the models is asked' },
  price: {
    type: 'string',
    value: 'IN,OUT[,CACHED]',
    about: 'what a million tokens cost in US dollars, instead of the listed prices',
  },
  record: { type: 'string', value: 'FILE', about: 'add all conversations with models to this file' },
  'keep-telemetry': { type: 'boolean', about: 'keep the signals of all clusters in the folder' },
  least: {
    type: 'string',
    value: 'PERCENT',
    about: 'end with 1 where an agent resolves fewer',
    default: '0',
  },
} as const

export type RunOptions = OptionValues<typeof RUN_OPTIONS>

const bad = (message: string, hint?: string): RemediumError =>
  new RemediumError('bad-argument', message, { hint })

const toNumber = (name: string, text: string, most: number): number => {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (value >= 0 && value <= most) return value
  const range = most === Number.POSITIVE_INFINITY ? '0 or more' : `0 to ${most}`
  throw bad(`--${name} must be ${range}, but "${text}" was given.`)
}

const readAgentOptions = (given: readonly string[]): RunSettings['agentOptions'] => {
  if (given.length === 0) return undefined
  const options: Record<string, Record<string, string>> = {}
  for (const text of given) {
    const parts = /^([\w-]+)\.(\w+)=(.*)$/s.exec(text)
    if (parts === null)
      throw bad(
        `--set must be AGENT.NAME=VALUE, but "${text}" was given.`,
        'For example: --set think-remed.trials=5',
      )
    const [, agent, name, value] = parts as unknown as [string, string, string, string]
    options[agent] = { ...options[agent], [name]: value }
  }
  return options
}

/** Those that only say how a run is gone on with. */
const OF_RESUMING: readonly string[] = ['resume', 'workers', 'any-commit', 'dry-run', 'least']

const refuseWithResume = (options: RunOptions, positionals: readonly string[]): void => {
  if (options.resume === undefined) return
  const other = givenOptions(RUN_OPTIONS, options).find((name) => !OF_RESUMING.includes(name))
  const given = other === undefined ? positionals[0] : `--${other}`
  if (given !== undefined)
    throw bad(
      `--resume goes on with what its folder says, and "${given}" says something else.`,
      'Give --resume without it, or begin another run.',
    )
}

/** Nobody would be there to say yes, and the agent would be blamed for it. */
export const refuseWithoutTerminal = (what: string): void => {
  if (!(process.stdin.isTTY && process.stderr.isTTY))
    throw bad(`${what} asks a person, and there is no terminal.`)
}

export interface CheckedOptions {
  readonly rollback: RunManifest['rollback']
  readonly settings: RunSettings
  /** A share, 0 to 1. */
  readonly least: number
}

const present = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** Throws at the first thing that cannot be. */
export const checkRunOptions = (options: RunOptions, positionals: readonly string[]): CheckedOptions => {
  refuseWithResume(options, positionals)
  const { allow, deny, external, approve, tools, rollback } = options
  if (approve) refuseWithoutTerminal('--approve')
  if (external?.trim() === '') throw bad('--external names no program.')
  return {
    rollback,
    least: toNumber('least', options.least, 100) / 100,
    settings: present({
      mostTokens: options.tokens,
      mostCostUsd:
        options.cost === undefined ? undefined : toNumber('cost', options.cost, Number.POSITIVE_INFINITY),
      allow: allow.length === 0 ? undefined : allow,
      deny: deny.length === 0 ? undefined : deny,
      baseUrl: options['base-url'],
      tools: tools === 'auto' ? undefined : tools,
      price: options.price,
      recordTo: options.record === undefined ? undefined : resolve(options.record),
      external,
      agentOptions: readAgentOptions(options.set),
      isApproved: approve || undefined,
      keepsTelemetry: options['keep-telemetry'] || undefined,
    }),
  }
}
