/** `remedium run-all`: runs MicroRemed's quick start, both methods on three levels. */
import { join } from 'node:path'
import { defined } from '#kit'
import type { PlayedSeries, Series } from '#lab/micro-remed'
import { FAULT_CATEGORIES, RemediumError } from '#spec'
import { type CommandContext, defineCommand, type OptionValues } from '../define-command.ts'
import { hasVoidEpisodes, VOID_EPISODES } from '../exit-codes.ts'
import { MAX_PROBLEMS, WORKERS_OPTION } from '../integer-options.ts'
import { SAMPLING_OPTIONS, samplingOf } from '../runs/sampling-options.ts'
import { toCommandLine } from '../to-command-line.ts'

const METHODS = ['SoloGen', 'ThinkRemed']
const LEVELS = ['easy', 'medium', 'hard'] as const
const RESUME_HINT = 'Run the same command to resume.'

const OPTIONS = {
  method: {
    type: 'string',
    value: 'METHOD',
    about: 'only this method: SoloGen, ThinkRemed or an agent',
    multiple: true,
  },
  level: {
    type: 'string',
    value: 'LEVEL',
    about: 'only easy, medium or hard',
    multiple: true,
    choices: LEVELS,
  },
  workers: WORKERS_OPTION,
  limit: {
    type: 'integer',
    value: 'N',
    about: 'the maximum number of experiments for each level',
    min: 1,
    max: MAX_PROBLEMS,
  },
  ...SAMPLING_OPTIONS,
  'base-url': { type: 'string', value: 'URL', about: 'the address of the model provider' },
  'any-commit': { type: 'boolean', about: 'resume runs that were started with another commit' },
} as const

type Options = OptionValues<typeof OPTIONS>

/** Throws if a failure type has no target on the system: the levels contain every type. */
const checkSystem = async (env: string): Promise<void> => {
  const { loadNamedSystem } = await import('../systems/load-named-system.ts')
  const { listFittingTypes } = await import('#exam/problems')
  await loadNamedSystem(env)
  const fitting = await listFittingTypes(env)
  const missing = FAULT_CATEGORIES.filter((type) => !fitting.includes(type))
  if (missing.length === 0) return
  throw new RemediumError(
    'bad-argument',
    `run-all requires targets for every failure type, but ${env} has none for ${missing.join(' and ')}.`,
    { hint: "MicroRemed's systems are simple-micro, online-boutique and train-ticket." },
  )
}

const loadLevels = async (env: string, { level, limit }: Options) => {
  const { loadSuite } = await import('#exam/problems')
  const chosen: readonly string[] = level.length === 0 ? LEVELS : level
  return Promise.all(
    chosen.map(async (name) => ({
      level: name,
      problems: (await loadSuite(name, { system: env })).slice(0, limit),
    })),
  )
}

interface NamedSeries {
  /** `SoloGen_easy` */
  readonly name: string
  readonly series: Series
}

const toSeries = (
  { positionals, options, root, progress }: CommandContext<typeof OPTIONS>,
  method: string,
  { level, problems }: Awaited<ReturnType<typeof loadLevels>>[number],
): NamedSeries => {
  const [, logs, model] = positionals as readonly [string, string, string]
  const name = `${method}_${level}`
  return {
    name,
    series: {
      title: level,
      problems,
      method,
      model: model === '-' ? undefined : model,
      workers: options.workers,
      seed: undefined,
      root,
      progress,
      anyCommit: options['any-commit'],
      settings: { ...samplingOf(options), ...defined({ baseUrl: options['base-url'] }) },
      out: join(logs, `run_${name}`),
      savePath: join(logs, 'conversations', name),
      log: join(logs, `${name}.log`),
      outOption: 'LOG_DIR',
      savePathOption: 'LOG_DIR',
      resumeHint: RESUME_HINT,
      command: toCommandLine('run-all', OPTIONS, { positionals, options }),
    },
  }
}

export const runAll = defineCommand({
  summary: "Run MicroRemed's quick start on a system: two methods at the levels easy, medium and hard",
  positionals: 'ENV LOG_DIR MODEL',
  examples: [
    'remedium run-all online-boutique logs qwen-plus      304 episodes; run the same command to resume',
    'remedium run-all simple-micro logs - --method expert --level easy      one method and level, without a model',
  ],
  options: OPTIONS,
  async run(context) {
    const { positionals, options, answer, progress } = context
    const [env, , model, ...more] = positionals
    if (env === undefined || model === undefined || more.length > 0)
      throw new RemediumError(
        'bad-argument',
        'Name a system, a folder for logs and a model: ENV LOG_DIR MODEL.',
      )
    await checkSystem(env)
    const { planSeries, playExperiments } = await import('#lab/micro-remed')
    const { createInterruptSignal } = await import('../create-interrupt-signal.ts')
    const levels = await loadLevels(env, options)
    const allSeries = (options.method.length === 0 ? METHODS : options.method).flatMap((method) =>
      levels.map((level) => toSeries(context, method, level)),
    )
    // Checks all series first, because the last one may start hours later.
    for (const { series } of allSeries) await planSeries(series)
    // One signal for all series, so that an interrupt between two of them takes effect.
    const signal = createInterruptSignal(RESUME_HINT)
    const played: ({ name: string } & PlayedSeries)[] = []
    for (const { name, series } of allSeries) {
      progress(`${name} on ${env}`)
      played.push({ name, ...(await playExperiments(series, signal)) })
    }
    answer(
      {
        series: played.map(({ name, folder, summary, microRemedCheck }) => ({
          name,
          folder,
          ...summary,
          microRemedCheck,
        })),
      },
      played.map(({ name, text }) => `${name}\n${text}\n`).join('\n'),
    )
    return played.some(({ summary }) => hasVoidEpisodes(summary)) ? VOID_EPISODES : 0
  },
})
