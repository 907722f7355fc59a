/** `remedium inject-and-remediate`: MicroRemed's custom mode, with its arguments. */
import { RemediumError } from '../../spec/index.ts'
import { defineCommand } from '../define-command.ts'
import { toCommandLine } from '../to-command-line.ts'

const NOT_NEEDED = 'taken, and not needed:'

const bad = (message: string, hint?: string): RemediumError =>
  new RemediumError('bad-argument', message, { hint })

const OPTIONS = {
  experiments: {
    type: 'integer',
    value: 'N',
    about: 'how many, of failure types by chance',
    default: 10,
    least: 1,
  },
  namespace: {
    type: 'string',
    value: 'NAME',
    about: "the system's own, which has its name here",
    default: 'default',
  },
  'wait-interval': {
    type: 'integer',
    alias: 'wait_interval',
    value: 'SECONDS',
    about: `${NOT_NEEDED} users are watched all the time`,
    default: 10,
  },
  'injection-timeout': {
    type: 'integer',
    alias: 'injection_timeout',
    value: 'SECONDS',
    about: `${NOT_NEEDED} users feel a failure within 20 s, or it is put in once more`,
    default: 30,
  },
  env: {
    type: 'string',
    value: 'SYSTEM',
    about: 'the system, see "remedium systems"; types are drawn among those that fit it',
    default: 'simple-micro',
  },
  'save-path': {
    type: 'string',
    alias: 'save_path',
    value: 'DIR',
    about: 'where conversation files are written',
    default: 'conversations',
  },
  'manifest-path': {
    type: 'string',
    alias: 'manifest_path',
    value: 'FILE',
    about: `${NOT_NEEDED} every object goes back to how it was, not only one workload`,
  },
  'remediate-method': {
    type: 'string',
    alias: 'remediate_method',
    value: 'METHOD',
    about: 'SoloGen, ThinkRemed, or an agent of "remedium agents"',
    default: 'ThinkRemed',
  },
  'experiment-path': {
    type: 'string',
    alias: 'experiment_path',
    value: 'FILE',
    about: 'failure types that fit the system, one a line, instead of --experiments',
  },
  'enable-strict-restart': {
    type: 'string',
    alias: 'enable_strict_restart',
    value: 'BOOL',
    about: `${NOT_NEEDED} the system is proven well before every experiment`,
    default: 'true',
  },
  model: { type: 'string', value: 'NAME', about: 'as MicroRemed names it (gpt-4o), or provider:name' },
  workers: { type: 'integer', value: 'N', about: 'clusters side by side', default: 2, least: 1 },
  seed: { type: 'string', value: 'SEED', about: 'what types and services are drawn from' },
  'base-url': { type: 'string', value: 'URL', about: 'where the provider of the models is asked' },
  out: { type: 'string', value: 'DIR', about: 'the folder of the run; the same one again goes on with it' },
  'any-commit': { type: 'boolean', about: 'go on with a run of another commit' },
} as const

export const injectAndRemediate = defineCommand({
  summary: "Run MicroRemed's custom mode: failures by chance or from a list, and a method that mends them",
  examples: [
    'remedium inject-and-remediate --env train-ticket --remediate-method SoloGen --model qwen-plus',
    'remedium inject-and-remediate --experiment_path hard.txt --env online-boutique --model gpt-4o',
    'remedium inject-and-remediate --remediate-method expert --experiments 5     without a model',
  ],
  options: OPTIONS,
  async run({ positionals, options, root, answer, progress }) {
    const { env, namespace, experiments, workers, seed } = options
    const { loadNamedSystem } = await import('../systems/load-named-system.ts')
    await loadNamedSystem(env)
    if (namespace !== 'default' && namespace !== env)
      throw bad(`The system ${env} is in the namespace ${env}, not in "${namespace}".`)
    if (!/^(true|false|0|1|yes|no)$/i.test(options['enable-strict-restart']))
      throw bad(
        `--enable-strict-restart must be true or false, but "${options['enable-strict-restart']}" was given.`,
      )
    const { chooseExperiments } = await import('../micro-remed/choose-experiments.ts')
    const { planSeries } = await import('../micro-remed/plan-series.ts')
    const { playExperiments } = await import('../micro-remed/play-experiments.ts')
    const { interruptible } = await import('../validity/interruptible.ts')
    const { runFolderName } = await import('../runs/run-folder-name.ts')
    const { createRealClock } = await import('../../kit/index.ts')
    const { title, problems } = await chooseExperiments({
      system: env,
      count: experiments,
      seed,
      file: options['experiment-path'],
    })
    const baseUrl = options['base-url']
    const out = options.out ?? runFolderName([title], createRealClock().now())
    const goOn = `The same command${options.out === undefined ? ` with --out ${out}` : ''} goes on.`
    const series = {
      title,
      problems,
      method: options['remediate-method'],
      model: options.model,
      workers,
      seed,
      root,
      progress,
      savePath: options['save-path'],
      anyCommit: options['any-commit'],
      settings: baseUrl === undefined ? {} : { baseUrl },
      out,
      outOption: '--out',
      savePathOption: '--save-path',
      goOn,
      command: toCommandLine('inject-and-remediate', OPTIONS, { positionals, options }),
    }
    await planSeries(series)
    const { folder, summary, text } = await playExperiments(series, interruptible(goOn))
    answer({ folder, savePath: options['save-path'], ...summary }, `\n${text}\n\n${folder}`)
    return 0
  },
})
