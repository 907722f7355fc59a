/** `remedium inject-and-remediate`: runs MicroRemed's custom mode, with the same arguments. */
import { defined } from '#kit'
import { RemediumError } from '#spec'
import { defineCommand } from '../define-command.ts'
import { hasVoidEpisodes, VOID_EPISODES } from '../exit-codes.ts'
import { MAX_PROBLEMS, MAX_SECONDS, WORKERS_OPTION } from '../integer-options.ts'
import { SAMPLING_OPTIONS, samplingOf } from '../runs/sampling-options.ts'
import { toCommandLine } from '../to-command-line.ts'

const IGNORED = 'accepted for compatibility, without effect:'

const badArgument = (message: string, hint?: string): RemediumError =>
  new RemediumError('bad-argument', message, { hint })

const OPTIONS = {
  experiments: {
    type: 'integer',
    value: 'N',
    about: 'the number of experiments, with random failure types',
    default: 10,
    min: 1,
    max: MAX_PROBLEMS,
  },
  namespace: {
    type: 'string',
    value: 'NAME',
    about: 'the namespace of the system, which has the same name as the system',
    default: 'default',
  },
  'wait-interval': {
    type: 'integer',
    alias: 'wait_interval',
    value: 'SECONDS',
    about: `${IGNORED} users are observed continuously`,
    default: 10,
    min: 0,
    max: MAX_SECONDS,
  },
  'injection-timeout': {
    type: 'integer',
    alias: 'injection_timeout',
    value: 'SECONDS',
    about: `${IGNORED} a fault without user impact after 20 s is injected again`,
    default: 30,
    min: 0,
    max: MAX_SECONDS,
  },
  env: {
    type: 'string',
    value: 'SYSTEM',
    about: 'the system; see "remedium systems". Random types are drawn from those with a target on it',
    default: 'simple-micro',
  },
  'save-path': {
    type: 'string',
    alias: 'save_path',
    value: 'DIR',
    about: 'the folder for conversation files',
    default: 'conversations',
  },
  'manifest-path': {
    type: 'string',
    alias: 'manifest_path',
    value: 'FILE',
    about: `${IGNORED} every object is restored, not only one workload`,
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
    about: 'a list of failure types, one per line, instead of --experiments',
  },
  'enable-strict-restart': {
    type: 'string',
    alias: 'enable_strict_restart',
    value: 'BOOL',
    about: `${IGNORED} the system is checked before every experiment`,
    default: 'true',
  },
  model: { type: 'string', value: 'NAME', about: "the model: MicroRemed's name (gpt-4o), or provider:name" },
  workers: WORKERS_OPTION,
  seed: {
    type: 'string',
    value: 'SEED',
    about: 'the seed for random types and services; secret draws a private variant',
    isNonEmpty: true,
  },
  ...SAMPLING_OPTIONS,
  'base-url': { type: 'string', value: 'URL', about: 'the address of the model provider' },
  out: { type: 'string', value: 'DIR', about: 'the run folder; an existing run is resumed' },
  'any-commit': { type: 'boolean', about: 'resume a run that was started with another commit' },
} as const

export const injectAndRemediate = defineCommand({
  summary: "Run MicroRemed's custom mode: random or listed failures, and a method that repairs them",
  examples: [
    'remedium inject-and-remediate --env train-ticket --remediate-method SoloGen --model qwen-plus',
    'remedium inject-and-remediate --experiment_path hard.txt --env online-boutique --model gpt-4o',
    'remedium inject-and-remediate --remediate-method expert --experiments 5     run without a model',
  ],
  options: OPTIONS,
  async run({ positionals, options, root, answer, progress }) {
    const { env, namespace, experiments, workers } = options
    const { loadNamedSystem } = await import('../systems/load-named-system.ts')
    await loadNamedSystem(env)
    if (namespace !== 'default' && namespace !== env)
      throw badArgument(`The namespace of the system ${env} is ${env}, not "${namespace}".`)
    if (!/^(true|false|0|1|yes|no)$/i.test(options['enable-strict-restart']))
      throw badArgument(
        `--enable-strict-restart must be true or false, but "${options['enable-strict-restart']}" was given.`,
      )
    const { chooseExperiments, planSeries, playExperiments } = await import('#lab/micro-remed')
    const { createInterruptSignal } = await import('../create-interrupt-signal.ts')
    const { chooseSeed, requireDrawnProblems } = await import('../runs/choose-seed.ts')
    const { runFolderName } = await import('#lab/launch')
    const { createRealClock } = await import('#kit')
    const { seed, variant } = await chooseSeed(options.seed, options.out)
    const list = options['experiment-path']
    await requireDrawnProblems(list === undefined ? [] : [list], { variant })
    const { title, problems } = await chooseExperiments({
      system: env,
      count: experiments,
      seed,
      file: list,
    })
    const baseUrl = options['base-url']
    const out = options.out ?? runFolderName([title], createRealClock().now())
    const resumeHint = `Run the same command${options.out === undefined ? ` with --out ${out}` : ''} to resume.`
    const series = {
      title,
      problems,
      method: options['remediate-method'],
      model: options.model,
      workers,
      seed,
      variant,
      root,
      progress,
      savePath: options['save-path'],
      anyCommit: options['any-commit'],
      settings: { ...samplingOf(options), ...defined({ baseUrl }) },
      out,
      outOption: '--out',
      savePathOption: '--save-path',
      resumeHint,
      command: toCommandLine('inject-and-remediate', OPTIONS, { positionals, options }),
    }
    await planSeries(series)
    const played = await playExperiments(series, createInterruptSignal(resumeHint))
    const { folder, summary, microRemedCheck, text } = played
    answer({ folder, savePath: options['save-path'], ...summary, microRemedCheck }, `\n${text}\n\n${folder}`)
    return hasVoidEpisodes(summary) ? VOID_EPISODES : 0
  },
})
