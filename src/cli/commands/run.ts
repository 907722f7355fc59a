/** `remedium run`: lets agents try problems on live systems, and says how they did. */
import { resolve } from 'node:path'
import { type RunFolder, readRun } from '../../runs/index.ts'
import { type Contender, RemediumError, type RunManifest, type RunSettings } from '../../spec/index.ts'
import { defineCommand } from '../define-command.ts'
import {
  type CheckedOptions,
  checkRunOptions,
  RUN_OPTIONS,
  type RunOptions,
  refuseWithoutTerminal,
} from '../runs/run-options.ts'
import { toCommandLine } from '../to-command-line.ts'

/** The program is the agent `external`, and is named once. */
const refuseIdleProgram = (
  contenders: readonly Contender[],
  { external, agentOptions }: RunSettings,
): void => {
  if (external === undefined) return
  if (contenders.every(({ agent }) => agent !== 'external'))
    throw new RemediumError('bad-argument', 'Only the agent "external" is a program: --agent external.')
  const { program, args } = agentOptions?.external ?? {}
  if (program !== undefined || args !== undefined)
    throw new RemediumError(
      'bad-argument',
      'The program of the agent "external" is named by --external and by --set: one of them will do.',
    )
}

const planManifest = async (
  positionals: readonly string[],
  options: RunOptions,
  { rollback, settings }: CheckedOptions,
  root: string,
): Promise<RunManifest> => {
  const { chooseContenders } = await import('../runs/choose-contenders.ts')
  const { chooseRunProblems } = await import('../runs/choose-run-problems.ts')
  const { checkContenders } = await import('../runs/check-contenders.ts')
  const { knownAgents } = await import('../runs/known-agents.ts')
  const { makeManifest } = await import('../runs/make-manifest.ts')
  const contenders = chooseContenders(options, await knownAgents())
  refuseIdleProgram(contenders, settings)
  await checkContenders(contenders, settings)
  const chosen = await chooseRunProblems(positionals, options)
  const command = toCommandLine('run', RUN_OPTIONS, { positionals, options })
  const { epochs, seed } = options
  return makeManifest({ ...chosen, contenders, epochs, seed, rollback, settings, command, root })
}

interface Opened {
  readonly folder: RunFolder
  readonly kubectl: string | undefined
}

/** Keys, addresses and programs may be gone since the run was begun. */
const checkAgain = async (path: string): Promise<void> => {
  const { unfinishedOf } = await import('../../runs/index.ts')
  const { checkContenders } = await import('../runs/check-contenders.ts')
  const { manifest, results } = readRun(path)
  if (manifest.settings.isApproved) refuseWithoutTerminal('The run in this folder')
  if (unfinishedOf(manifest, results).length > 0)
    await checkContenders(manifest.contenders, manifest.settings)
}

const foresee = async (
  options: RunOptions,
  manifest: RunManifest | undefined,
  root: string,
): Promise<ReturnType<typeof readRun>> => {
  const { foreseeRun } = await import('../../runs/index.ts')
  const { circumstancesOf } = await import('../validity/circumstances.ts')
  const path = options.resume ?? options.out
  if (path === undefined) return { manifest: manifest!, results: [] }
  const { commit } = circumstancesOf(root)
  return foreseeRun(path, { manifest, commit, anyCommit: options['any-commit'] })
}

/** Everything that can be wrong is said before there is a folder. */
const openFolder = async (
  options: RunOptions,
  manifest: RunManifest | undefined,
  { root, progress }: { root: string; progress(line: string): void },
): Promise<Opened> => {
  const { checkFolder, openRunFolder } = await import('../../runs/index.ts')
  const { prepareMachine } = await import('../runs/prepare-machine.ts')
  const { circumstancesOf } = await import('../validity/circumstances.ts')
  const { runFolderName } = await import('../runs/run-folder-name.ts')
  const path = options.resume ?? options.out ?? runFolderName(manifest!.suites, manifest!.created)
  const { commit } = circumstancesOf(root)
  if (options.resume === undefined) checkFolder(path, '--out')
  else await checkAgain(path)
  const kubectl = await prepareMachine(path, root, progress)
  const folder = openRunFolder(resolve(path), { manifest, commit, anyCommit: options['any-commit'] })
  return { folder, kubectl }
}

export const run = defineCommand({
  summary: 'Let agents try problems on live systems, and say how they did',
  positionals: '[SUITE|PROBLEM|FILE ...]',
  examples: [
    'remedium run                                                       easy on simple-micro, by the expert',
    'remedium run hard --system online-boutique --agent expert          a harder one on a bigger system',
    'remedium run core --agent react --model openai:gpt-5-mini          a language model',
    'remedium run easy --model openai:gpt-5 --model anthropic:claude-sonnet-5 --epochs 3      pass@k of two',
    'remedium run --agent external --external "python3 my-agent.py"     a program of your own',
    'remedium run --resume runs/20261115-154230-easy                    goes on where it was',
  ],
  options: RUN_OPTIONS,
  async run({ positionals, options, root, answer, progress }) {
    const checked = checkRunOptions(options, positionals)
    const manifest =
      options.resume === undefined ? await planManifest(positionals, options, checked, root) : undefined
    if (options['dry-run']) {
      const { planRun, planText } = await import('../runs/plan-text.ts')
      const foreseen = await foresee(options, manifest, root)
      const plan = planRun(foreseen.manifest, foreseen.results)
      answer({ ...plan, manifest: foreseen.manifest }, planText(plan))
      return 0
    }
    const { executeRun } = await import('../runs/execute-run.ts')
    const { runTable } = await import('../runs/run-table.ts')
    const { interruptible } = await import('../validity/interruptible.ts')
    const { folder, kubectl } = await openFolder(options, manifest, { root, progress })
    try {
      progress(`run folder: ${folder.path}`)
      const goOn = `Go on with: remedium run --resume ${folder.path}`
      const signal = interruptible(goOn)
      const summary = await executeRun(folder, { workers: options.workers, kubectl, goOn, signal, progress })
      answer({ folder: folder.path, ...summary }, `\n${runTable(summary)}\n\n${folder.path}`)
      // Nobody has proven anything where nothing could be judged.
      return summary.contenders.every(({ share, episodes }) => episodes > 0 && share >= checked.least) ? 0 : 1
    } finally {
      folder.close()
    }
  },
})
