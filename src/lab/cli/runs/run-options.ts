/** The options of `remedium run`, and their checks. */
import { resolve } from 'node:path'
import { defined } from '#kit'
import { RemediumError, type RunManifest, type RunSettings, THINKING_TIMES } from '#spec'
import type { OptionValues } from '../define-command.ts'
import { givenOptions } from '../given-options.ts'
import {
  MAX_EPOCHS,
  MAX_PROBLEMS,
  MAX_SECONDS,
  MAX_STEPS,
  MAX_TOKENS,
  WORKERS_OPTION,
} from '../integer-options.ts'
import { SEED_OPTION } from './choose-seed.ts'
import { ENGINE_OPTION } from './engine-option.ts'
import { SAMPLING_OPTIONS, samplingOf } from './sampling-options.ts'

export const RUN_OPTIONS = {
  system: { type: 'string', value: 'SYSTEM', about: 'only problems on this system', multiple: true },
  agent: {
    type: 'string',
    value: 'AGENT',
    about: 'the agent; see "remedium agents" (default: expert, or react if a model is given)',
    multiple: true,
  },
  model: {
    type: 'string',
    value: '[ROLE=]PROVIDER:NAME',
    about: 'the model for all roles of an agent, or for one role; see "remedium models"',
    multiple: true,
  },
  workers: WORKERS_OPTION,
  epochs: {
    type: 'integer',
    value: 'N',
    about: 'how many times to try each problem',
    default: 1,
    min: 1,
    max: MAX_EPOCHS,
  },
  limit: { type: 'integer', value: 'N', about: 'the maximum number of problems', min: 1, max: MAX_PROBLEMS },
  fault: {
    type: 'string',
    value: 'FAULT',
    about: 'only problems with this fault; without a suite, draw one problem on each --system',
    multiple: true,
  },
  task: { type: 'string', value: 'TASK', about: 'only problems with this task', multiple: true },
  category: { type: 'string', value: 'CATEGORY', about: 'only faults of this category', multiple: true },
  seed: SEED_OPTION,
  secret: {
    type: 'string',
    value: 'SECRET',
    about:
      'draw the same names, addresses and episode order as the run with this secret (default: a new secret)',
    isNonEmpty: true,
  },
  'dry-run': {
    type: 'boolean',
    about: 'print the plan, with an estimate of time, tokens and cost, without running it',
  },
  out: { type: 'string', value: 'DIR', about: 'the run folder (default: runs/TIME-SUITE)' },
  resume: { type: 'string', value: 'DIR', about: 'resume the run in this folder' },
  'any-commit': { type: 'boolean', about: 'resume a run that was started with another commit' },
  engine: ENGINE_OPTION,
  rollback: {
    type: 'string',
    value: 'WHEN',
    about: 'when to roll back a playbook: never, on-failure or on-harm',
    default: 'never',
    choices: ['never', 'on-failure', 'on-harm'],
  },
  steps: {
    type: 'integer',
    value: 'N',
    about: 'the maximum number of actions in an episode (default: the budget of the problem)',
    min: 1,
    max: MAX_STEPS,
  },
  seconds: {
    type: 'integer',
    value: 'N',
    about: 'the time limit of the agent in an episode (default: the budget of the problem)',
    min: 1,
    max: MAX_SECONDS,
  },
  tokens: {
    type: 'integer',
    value: 'N',
    about: 'the maximum number of tokens in an episode',
    min: 1,
    max: MAX_TOKENS,
  },
  cost: {
    type: 'string',
    value: 'USD',
    about: 'the maximum cost of models in an episode; requires known prices',
  },
  allow: {
    type: 'string',
    value: 'ACTION',
    about: 'an action that agents may use; without this option, all',
    multiple: true,
  },
  deny: { type: 'string', value: 'ACTION', about: 'an action that agents may not use', multiple: true },
  'thinking-time': {
    type: 'string',
    value: 'TIME',
    about:
      'the time that models and external agents take on simulated clusters: measured, or none for records that do not depend on it',
    default: 'measured',
    choices: THINKING_TIMES,
  },
  approve: { type: 'boolean', about: 'ask on the terminal before each action that changes something' },
  external: { type: 'string', value: 'COMMAND', about: 'the command of the agent "external"' },
  'report-verdict': {
    type: 'boolean',
    about: 'send the verdict and the reward to the agent "external" after each episode',
  },
  set: {
    type: 'string',
    value: 'AGENT.NAME=VALUE',
    about: 'set an option of an agent, such as think-remed.trials=5; see docs/agents.md',
    multiple: true,
  },
  tools: {
    type: 'string',
    value: 'HOW',
    about: 'how models call tools: auto, native or text',
    default: 'auto',
    choices: ['auto', 'native', 'text'],
  },
  ...SAMPLING_OPTIONS,
  'base-url': { type: 'string', value: 'URL', about: 'the address of the model provider' },
  price: {
    type: 'string',
    value: 'IN,OUT[,CACHED]',
    about: 'US dollars per million tokens (default: the listed prices)',
  },
  record: { type: 'string', value: 'FILE', about: 'append all conversations with models to this file' },
  'keep-telemetry': { type: 'boolean', about: 'keep the telemetry of all clusters in the run folder' },
  'min-resolved': {
    type: 'string',
    value: 'PERCENT',
    about: 'exit with 1 if a contender resolves a smaller share of its episodes',
    default: '0',
  },
} as const

export type RunOptions = OptionValues<typeof RUN_OPTIONS>

const badArgument = (message: string, hint?: string): RemediumError =>
  new RemediumError('bad-argument', message, { hint })

const parseNumber = (name: string, text: string, max: number): number => {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (value >= 0 && value <= max) return value
  const range = max === Number.POSITIVE_INFINITY ? '0 or more' : `0 to ${max}`
  throw badArgument(`--${name} must be ${range}, but "${text}" was given.`)
}

const parseAgentOptions = (given: readonly string[]): RunSettings['agentOptions'] => {
  if (given.length === 0) return undefined
  const options: Record<string, Record<string, string>> = {}
  for (const text of given) {
    const parts = /^([\w-]+)\.(\w+)=(.*)$/s.exec(text)
    if (parts === null)
      throw badArgument(
        `--set must be AGENT.NAME=VALUE, but "${text}" was given.`,
        'For example: --set think-remed.trials=5',
      )
    const [, agent, name, value] = parts as unknown as [string, string, string, string]
    options[agent] = { ...options[agent], [name]: value }
  }
  return options
}

/** The options that can be combined with --resume. */
const RESUME_OPTIONS: readonly string[] = ['resume', 'workers', 'any-commit', 'dry-run', 'min-resolved']

const rejectWithResume = (options: RunOptions, positionals: readonly string[]): void => {
  if (options.resume === undefined) return
  const other = givenOptions(RUN_OPTIONS, options).find((name) => !RESUME_OPTIONS.includes(name))
  const given = other === undefined ? positionals[0] : `--${other}`
  if (given !== undefined)
    throw badArgument(
      `--resume takes the plan from its folder, so "${given}" cannot be given.`,
      'Omit it, or start another run.',
    )
}

/** Without a terminal every action would be denied, and the agent would get the blame. */
export const requireTerminal = (subject: string): void => {
  if (!(process.stdin.isTTY && process.stderr.isTTY))
    throw badArgument(`${subject} requires a terminal for approvals.`)
}

export interface CheckedOptions {
  readonly rollback: RunManifest['rollback']
  readonly settings: RunSettings
  /** A share, 0 to 1. */
  readonly minResolved: number
}

/** Throws on the first invalid option. */
export const checkRunOptions = (options: RunOptions, positionals: readonly string[]): CheckedOptions => {
  rejectWithResume(options, positionals)
  const { allow, deny, external, approve, tools, rollback, 'thinking-time': thinkingTime } = options
  if (approve) requireTerminal('--approve')
  if (external?.trim() === '') throw badArgument('--external must name a program.')
  if (options['keep-telemetry'] && options.engine === 'sim')
    throw badArgument(
      '--keep-telemetry cannot be combined with --engine sim: a simulated cluster keeps its telemetry in memory.',
      'Omit it, or use --engine local.',
    )
  return {
    rollback,
    minResolved: parseNumber('min-resolved', options['min-resolved'], 100) / 100,
    settings: {
      ...samplingOf(options),
      ...defined({
        maxTokens: options.tokens,
        maxCostUsd:
          options.cost === undefined
            ? undefined
            : parseNumber('cost', options.cost, Number.POSITIVE_INFINITY),
        allow: allow.length === 0 ? undefined : allow,
        deny: deny.length === 0 ? undefined : deny,
        baseUrl: options['base-url'],
        tools: tools === 'auto' ? undefined : tools,
        price: options.price,
        recordTo: options.record === undefined ? undefined : resolve(options.record),
        external,
        agentOptions: parseAgentOptions(options.set),
        thinkingTime: thinkingTime === 'measured' ? undefined : thinkingTime,
        isApproved: approve || undefined,
        reportsVerdict: options['report-verdict'] || undefined,
        keepsTelemetry: options['keep-telemetry'] || undefined,
      }),
    },
  }
}
