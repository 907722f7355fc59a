/** The options that the commands of the gym share, and the gym that they open. */
import type { Gym } from '#lab/gym'
import type { CommandContext, OptionValues } from '../define-command.ts'
import { WORKERS_OPTION } from '../integer-options.ts'
import { ENGINE_OPTION } from '../runs/engine-option.ts'

export const GYM_OPTIONS = {
  suite: {
    type: 'string',
    value: 'SUITE',
    about: 'a suite, a file with problems, or the ID of a problem',
    default: 'easy',
    isNonEmpty: true,
  },
  system: { type: 'string', value: 'SYSTEM', about: 'only problems on this system', multiple: true },
  seed: {
    type: 'string',
    value: 'SEED',
    about: 'draw the problems of the suite from another seed',
    isNonEmpty: true,
  },
  engine: ENGINE_OPTION,
  workers: WORKERS_OPTION,
  'max-sessions': {
    type: 'integer',
    value: 'N',
    about: 'how many sessions may be open at the same time; on the engine local at most one for each worker',
    default: 64,
    min: 1,
    max: 1024,
  },
  reward: {
    type: 'string',
    value: 'TERMS',
    about:
      'reward terms with weights, such as users-recovered=2,cause-gone (default: 1 if resolved, otherwise 0)',
  },
  'reward-share': {
    type: 'number',
    value: 'SHARE',
    about: 'the share of the reward that the terms decide',
    default: 0.3,
    min: 0.01,
    max: 0.49,
  },
  allow: { type: 'string', value: 'ACTION', about: 'the only actions that agents may use', multiple: true },
  records: { type: 'string', value: 'DIR', about: 'keep the records of all episodes in this folder' },
} as const

type GymCommandOptions = OptionValues<typeof GYM_OPTIONS>

/** Prepares the machine if the engine uses it. */
export const openGym = async (
  options: GymCommandOptions,
  { root, progress }: Pick<CommandContext, 'root' | 'progress'>,
): Promise<Gym> => {
  const { chooseProblems } = await import('../validity/choose-problems.ts')
  const { createGym, parseReward } = await import('#lab/gym')
  const { usesMachine } = await import('#lab/workers')
  const { suite, system, seed, engine, workers, allow, records } = options
  const reward = parseReward(options.reward ?? '', options['reward-share'])
  const problems = await chooseProblems(suite, { system, seed })
  let kubectl: string | undefined
  const isReal = usesMachine(engine)
  if (isReal) {
    const { ensureKubectl, ensureMachine } = await import('#lab/tools')
    await ensureMachine(progress)
    kubectl = await ensureKubectl(root, progress)
  }
  if (records !== undefined) {
    const { makeFolder } = await import('#lab/records')
    makeFolder(records, '--records')
  }
  return createGym({
    ...{ problems, engine, workers, reward, kubectl, records },
    maxSessions: options['max-sessions'],
    allow: allow.length === 0 ? undefined : allow,
    // Simulated clusters start many times a minute.
    ...(isReal ? { onStage: progress } : {}),
  })
}
