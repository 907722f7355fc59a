/** `remedium run`: lets agents try to solve problems on real systems. */
import { dirname, resolve } from 'node:path'
import { defined } from '#kit'
import { type RunFolder, type RunSummary, readRun } from '#lab/runs'
import { type Contender, RemediumError, type RunManifest, type RunSettings } from '#spec'
import { defineCommand } from '../define-command.ts'
import { hasVoidEpisodes, TOO_FEW_RESOLVED, VOID_EPISODES } from '../exit-codes.ts'
import {
  type CheckedOptions,
  checkRunOptions,
  RUN_OPTIONS,
  type RunOptions,
  requireTerminal,
} from '../runs/run-options.ts'
import { toCommandLine } from '../to-command-line.ts'

/** Only the agent `external` has a program, and either --external or --set names it. */
const checkExternalProgram = (
  contenders: readonly Contender[],
  { external, agentOptions }: RunSettings,
): void => {
  if (external === undefined) return
  if (contenders.every(({ agent }) => agent !== 'external'))
    throw new RemediumError('bad-argument', '--external requires --agent external.')
  const { program, args } = agentOptions?.external ?? {}
  if (program !== undefined || args !== undefined)
    throw new RemediumError(
      'bad-argument',
      '--external and --set both name the program of the agent "external": give only one.',
    )
}

const planManifest = async (
  positionals: readonly string[],
  options: RunOptions,
  { rollback, settings }: CheckedOptions,
  root: string,
): Promise<RunManifest> => {
  const { checkContenders, chooseContenders, knownAgents, makeManifest } = await import('#lab/launch')
  const { chooseRunProblems } = await import('../runs/choose-run-problems.ts')
  const { chooseSeed, requireDrawnProblems } = await import('../runs/choose-seed.ts')
  const contenders = chooseContenders(options, await knownAgents())
  checkExternalProgram(contenders, settings)
  await checkContenders(contenders, settings)
  const { seed, variant } = await chooseSeed(options.seed, options.out)
  await requireDrawnProblems(positionals, { variant })
  const chosen = await chooseRunProblems(positionals, { ...options, seed })
  const command = toCommandLine('run', RUN_OPTIONS, { positionals, options })
  const { epochs, engine, secret } = options
  const drawing = { seed, variant, ...defined({ secret }) }
  return makeManifest({
    ...{ ...chosen, ...drawing, contenders, epochs, engine, rollback, settings },
    command,
    root,
  })
}

interface OpenedRun {
  readonly folder: RunFolder
  readonly kubectl: string | undefined
}

/** Keys, addresses and programs may have been removed since the run was started. */
const recheckContenders = async (path: string): Promise<void> => {
  const { unfinishedOf } = await import('#lab/runs')
  const { checkContenders } = await import('#lab/launch')
  const { manifest, results } = readRun(path)
  if (manifest.settings.isApproved) requireTerminal('The run in this folder')
  if (unfinishedOf(manifest, results).length > 0)
    await checkContenders(manifest.contenders, manifest.settings)
}

const loadPlan = async (
  options: RunOptions,
  manifest: RunManifest | undefined,
  root: string,
): Promise<ReturnType<typeof readRun>> => {
  const { previewRun } = await import('#lab/runs')
  const { circumstancesOf } = await import('#lab/records')
  const path = options.resume ?? options.out
  if (path === undefined) return { manifest: manifest!, results: [] }
  const { commit } = circumstancesOf(root)
  return previewRun(path, { manifest, commit, anyCommit: options['any-commit'] })
}

/** `manifest` is absent if the run is resumed. */
const folderOf = async ({ resume, out }: RunOptions, manifest: RunManifest | undefined): Promise<string> => {
  const { runFolderName } = await import('#lab/launch')
  return resume ?? out ?? runFolderName(manifest!.suites, manifest!.created)
}

/** Checks everything before it creates the folder. */
const openFolder = async (
  options: RunOptions,
  manifest: RunManifest | undefined,
  { root, progress }: { root: string; progress(line: string): void },
): Promise<OpenedRun> => {
  const { checkFolder, circumstancesOf } = await import('#lab/records')
  const { openRunFolder } = await import('#lab/runs')
  const { prepareMachine } = await import('#lab/launch')
  const path = await folderOf(options, manifest)
  const { commit } = circumstancesOf(root)
  if (options.resume === undefined) checkFolder(path, '--out')
  else await recheckContenders(path)
  const kubectl = await prepareMachine({ folder: path, manifest, root, progress })
  const folder = openRunFolder(resolve(path), { manifest, commit, anyCommit: options['any-commit'] })
  return { folder, kubectl }
}

/** Void episodes take precedence, because the share of resolved episodes does not include them. */
const exitCodeOf = (summary: RunSummary, minResolved: number): number => {
  if (hasVoidEpisodes(summary)) return VOID_EPISODES
  return summary.contenders.every(({ share }) => share >= minResolved) ? 0 : TOO_FEW_RESOLVED
}

export const run = defineCommand({
  summary: 'Run agents on the problems of a suite, and report the results',
  positionals: '[SUITE|PROBLEM|FILE ...]',
  examples: [
    'remedium run                                                       the suite easy on simple-micro with the agent expert',
    'remedium run hard --system online-boutique --agent expert          another suite, system and agent',
    'remedium run core --agent react --model openai:gpt-5-mini          an agent with a language model',
    'remedium run easy --model openai:gpt-5 --model anthropic:claude-sonnet-5 --epochs 3      compare pass@k of two models',
    'remedium run --agent external --external "python3 my-agent.py"     a program as the agent',
    'remedium run core --seed secret --agent expert                     problems that no agent has seen',
    'remedium run --resume runs/20261115-154230-easy                    resume a run',
  ],
  options: RUN_OPTIONS,
  async run({ positionals, options, root, answer, progress }) {
    const checked = checkRunOptions(options, positionals)
    const manifest =
      options.resume === undefined ? await planManifest(positionals, options, checked, root) : undefined
    if (options['dry-run']) {
      const { planRun, planText } = await import('../runs/plan-text.ts')
      const preview = await loadPlan(options, manifest, root)
      const path = await folderOf(options, manifest)
      const plan = await planRun(preview, { workers: options.workers, folder: dirname(path) })
      answer({ ...plan, manifest: preview.manifest }, planText(plan))
      return 0
    }
    const { executeRun, runTable } = await import('#lab/launch')
    const { createInterruptSignal } = await import('../create-interrupt-signal.ts')
    const { folder, kubectl } = await openFolder(options, manifest, { root, progress })
    try {
      progress(`run folder: ${folder.path}`)
      const resumeHint = `Resume with: remedium run --resume ${folder.path}`
      const signal = createInterruptSignal(resumeHint)
      const summary = await executeRun(folder, {
        workers: options.workers,
        kubectl,
        resumeHint,
        signal,
        progress,
      })
      answer({ folder: folder.path, ...summary }, `\n${runTable(summary)}\n\n${folder.path}`)
      return exitCodeOf(summary, checked.minResolved)
    } finally {
      folder.close()
    }
  },
})
