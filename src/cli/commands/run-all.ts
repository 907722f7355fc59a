/** `remedium run-all`: MicroRemed's quick start: both methods on its three levels. */
import { join } from 'node:path'
import { FAULT_CATEGORIES, RemediumError } from '../../spec/index.ts'
import { defineCommand } from '../define-command.ts'
import type { Series } from '../micro-remed/plan-series.ts'
import type { PlayedSeries } from '../micro-remed/play-experiments.ts'
import { toCommandLine } from '../to-command-line.ts'

const METHODS = ['SoloGen', 'ThinkRemed']
const LEVELS = ['easy', 'medium', 'hard'] as const

const OPTIONS = {
  method: { type: 'string', value: 'METHOD', about: 'only this one, or an agent of ours', multiple: true },
  level: {
    type: 'string',
    value: 'LEVEL',
    about: 'only easy, medium or hard',
    multiple: true,
    choices: LEVELS,
  },
  workers: { type: 'integer', value: 'N', about: 'clusters side by side', default: 2, least: 1 },
  limit: {
    type: 'integer',
    value: 'N',
    about: 'only the first so many experiments of each level',
    least: 1,
  },
  'base-url': { type: 'string', value: 'URL', about: 'where the provider of the models is asked' },
  'any-commit': { type: 'boolean', about: 'go on with runs of another commit' },
} as const

export const runAll = defineCommand({
  summary: "Run MicroRemed's quick start on one of its systems: two methods at easy, medium and hard",
  positionals: 'ENV LOG_DIR MODEL',
  examples: [
    'remedium run-all online-boutique logs qwen-plus      304 episodes; the same command again goes on',
    'remedium run-all simple-micro logs - --method expert --level easy      one of six, without a model',
  ],
  options: OPTIONS,
  async run({ positionals, options, root, answer, progress }) {
    const [env, logs, model, ...more] = positionals
    if (env === undefined || logs === undefined || model === undefined || more.length > 0)
      throw new RemediumError(
        'bad-argument',
        'Name a system, a folder for logs and a model: ENV LOG_DIR MODEL.',
      )
    const { loadNamedSystem } = await import('../systems/load-named-system.ts')
    const { fittingTypes, loadSuite } = await import('../../problems/index.ts')
    await loadNamedSystem(env)
    const fitting = await fittingTypes(env)
    const missing = FAULT_CATEGORIES.filter((type) => !fitting.includes(type))
    if (missing.length > 0)
      throw new RemediumError(
        'bad-argument',
        `run-all plays every failure type of MicroRemed, and ${env} has no service for ${missing.join(' or ')}.`,
        { hint: 'Its systems are simple-micro, online-boutique and train-ticket.' },
      )
    const { planSeries } = await import('../micro-remed/plan-series.ts')
    const { playExperiments } = await import('../micro-remed/play-experiments.ts')
    const { interruptible } = await import('../validity/interruptible.ts')
    const chosen: readonly string[] = options.level.length === 0 ? LEVELS : options.level
    const levels = await Promise.all(
      chosen.map(async (level) => {
        const problems = await loadSuite(level, { system: env })
        return { level, problems: problems.slice(0, options.limit) }
      }),
    )
    const baseUrl = options['base-url']
    const goOn = 'The same command goes on.'
    const all = (options.method.length === 0 ? METHODS : options.method).flatMap((method) =>
      levels.map(({ level, problems }): { name: string; series: Series } => {
        const name = `${method}_${level}`
        const series = {
          title: level,
          problems,
          method,
          model: model === '-' ? undefined : model,
          workers: options.workers,
          seed: undefined,
          root,
          progress,
          anyCommit: options['any-commit'],
          settings: baseUrl === undefined ? {} : { baseUrl },
          out: join(logs, `run_${name}`),
          savePath: join(logs, 'conversations', name),
          log: join(logs, `${name}.log`),
          outOption: 'LOG_DIR',
          savePathOption: 'LOG_DIR',
          goOn,
          command: toCommandLine('run-all', OPTIONS, { positionals, options }),
        }
        return { name, series }
      }),
    )
    // The turn of the last one comes after hours, perhaps after money.
    for (const { series } of all) await planSeries(series)
    // One for all of them: whoever ends the command between two has ended it.
    const signal = interruptible(goOn)
    const played: ({ name: string } & PlayedSeries)[] = []
    for (const { name, series } of all) {
      progress(`${name} on ${env}`)
      const one = await playExperiments(series, signal)
      played.push({ name, ...one })
    }
    answer(
      { series: played.map(({ name, folder, summary }) => ({ name, folder, ...summary })) },
      played.map(({ name, text }) => `${name}\n${text}\n`).join('\n'),
    )
    return 0
  },
})
