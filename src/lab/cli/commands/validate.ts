/** `remedium validate`: proves that the problems of a suite are valid. */
import { availableParallelism } from 'node:os'
import type { DocumentHead, Validity } from '#lab/validation'
import { DEFAULT_ENGINE, type Problem, RemediumError } from '#spec'
import { type CommandContext, defineCommand, type OptionValues } from '../define-command.ts'
import { MAX_PROBLEMS, WORKERS_OPTION } from '../integer-options.ts'
import { ENGINE_OPTION } from '../runs/engine-option.ts'
import { toCommandLine } from '../to-command-line.ts'

const OPTIONS = {
  system: { type: 'string', value: 'SYSTEM', about: 'only problems on this system', multiple: true },
  fault: {
    type: 'string',
    value: 'FAULT',
    about: 'validate a problem with this fault on each system, instead of a suite',
    multiple: true,
  },
  workers: {
    type: 'integer',
    value: 'N',
    min: WORKERS_OPTION.min,
    max: WORKERS_OPTION.max,
    about: 'the number of parallel clusters (default: 2; with the engine sim, one per core)',
  },
  engine: ENGINE_OPTION,
  hacks: {
    type: 'string',
    value: 'WHICH',
    about:
      'the problems on which to try hacks and further right repairs: all, quarter (drawn from the seed) or none',
    default: 'all',
    choices: ['all', 'quarter', 'none'],
  },
  only: {
    type: 'string',
    value: 'ATTEMPT',
    about:
      'only this attempt: do-nothing, reference, right (all that must pass), repairs, hacks, or the name of a repair or hack',
    multiple: true,
  },
  seed: {
    type: 'string',
    value: 'SEED',
    about:
      'the seed for drawing problems and hacks (default: the seed of the suite); secret draws a private variant',
    isNonEmpty: true,
  },
  ledger: {
    type: 'string',
    value: 'FILE',
    about: 'append the result of each attempt to this file; recorded attempts are not repeated',
  },
  'any-commit': { type: 'boolean', about: 'resume a ledger that was started with another commit' },
  records: { type: 'string', value: 'DIR', about: 'the folder for the records of attempts' },
  sample: {
    type: 'integer',
    value: 'N',
    about: 'only N of the attempts, drawn from the seed, of as many different faults as possible',
    min: 1,
    max: 100 * MAX_PROBLEMS,
  },
  limit: { type: 'integer', value: 'N', about: 'the maximum number of problems', min: 1, max: MAX_PROBLEMS },
  count: {
    type: 'integer',
    value: 'N',
    about: 'the number of episodes of "controls"',
    default: 100,
    min: 1,
    max: MAX_PROBLEMS,
  },
  'min-valid': {
    type: 'string',
    value: 'PERCENT',
    about: 'exit with 1 if a smaller share of problems is valid',
    default: '100',
  },
  out: { type: 'string', value: 'FILE', about: 'write the result as Markdown to this file' },
} as const

type Options = OptionValues<typeof OPTIONS>

const HACK_SHARES: Readonly<Record<Options['hacks'], number>> = { all: 1, quarter: 0.25, none: 0 }

const badArgument = (message: string, hint?: string): RemediumError =>
  new RemediumError('bad-argument', message, { hint })

const parsePercent = (text: string): number => {
  const percent = text.trim() === '' ? Number.NaN : Number(text)
  if (percent >= 0 && percent <= 100) return percent
  throw badArgument(`--min-valid must be 0 to 100, but "${text}" was given.`)
}

const selectProblems = async (
  [source, ...more]: readonly string[],
  options: Options,
): Promise<{ source: string; problems: readonly Problem[] }> => {
  const { chooseControls, chooseFaults, chooseProblems } = await import('../validity/choose-problems.ts')
  const hasFaults = options.fault.length > 0
  if (hasFaults === (source !== undefined) || more.length > 0)
    throw badArgument(
      'Name one suite, one problem or one file with problems, or give --fault.',
      'See "remedium problems" for the suites.',
    )
  const all =
    source === undefined
      ? await chooseFaults(options.fault, options)
      : source === 'controls'
        ? await chooseControls(options)
        : await chooseProblems(source, options)
  return { source: source ?? options.fault.join(' '), problems: all.slice(0, options.limit) }
}

/** Prints the seed of a private variant, because it is needed to validate the variant again. */
const resolveSeed = async (
  [source]: readonly string[],
  options: Options,
  progress: CommandContext['progress'],
): Promise<Options> => {
  const { chooseSeed, requireDrawnProblems } = await import('../runs/choose-seed.ts')
  const { seed, variant } = await chooseSeed(options.seed)
  await requireDrawnProblems(source === undefined || source === 'controls' ? [] : [source], { variant })
  if (variant === 'private') progress(`The problems are a private variant. To resume, give --seed ${seed}.`)
  return { ...options, seed }
}

/** Prints and writes the result. Returns whether controls had no false alarm and the page was written. */
const publishResult = async (
  validity: Validity,
  documentHead: DocumentHead,
  {
    isControls,
    out,
    answer,
    progress,
  }: Pick<CommandContext, 'answer' | 'progress'> & { isControls: boolean; out: string | undefined },
): Promise<boolean> => {
  const { validityDocument } = await import('#lab/validation')
  const { alarmsText, falseAlarms } = await import('../validity/false-alarms.ts')
  const { matrixText } = await import('../validity/matrix-text.ts')
  const { writePage } = await import('../write-page.ts')
  const alarms = isControls ? falseAlarms(validity) : []
  const alarmSection = isControls ? `\n${alarmsText(validity.problems.length, alarms)}\n` : ''
  answer(
    { ...documentHead, ...validity, ...(isControls ? { falseAlarms: alarms } : {}) },
    matrixText(validity) + alarmSection,
  )
  const isWritten =
    out === undefined || writePage(out, validityDocument(validity, documentHead) + alarmSection, progress)
  return isWritten && alarms.length === 0
}

/** Omits the output files, so that the command is the same on every machine. */
const commandLine = (positionals: readonly string[], options: Options): string =>
  toCommandLine('validate', OPTIONS, {
    positionals,
    options: { ...options, ledger: undefined, records: undefined, out: undefined },
  })

/** Throws if an output path is not writable. Creates nothing. */
const checkOutputs = async ({ out, ledger, records }: Options): Promise<void> => {
  const { checkFolder } = await import('#lab/records')
  const { checkOutFile } = await import('../check-out-file.ts')
  if (out !== undefined) checkOutFile(out, 'result', '--out')
  if (ledger !== undefined) checkOutFile(ledger, 'ledger', '--ledger')
  if (records !== undefined) checkFolder(records, '--records')
}

export const validate = defineCommand({
  summary:
    'Prove the problems of a suite: doing nothing fails, the reference and other right repairs pass, no hack passes',
  positionals: 'SUITE|PROBLEM|FILE|controls',
  examples: [
    'remedium validate smoke                                           a problem of each kind',
    'remedium validate hard --system train-ticket --hacks quarter      try hacks on a quarter of the problems',
    'remedium validate core --ledger core.jsonl                        run the same command to resume',
    'remedium validate smoke --engine sim --sample 30                  30 attempts at different faults on simulated clusters',
    'remedium validate smoke --records r && remedium score r           judge the records again, without a cluster',
    'remedium validate --fault dns-misdirected --system train-ticket    a problem with this fault',
    'remedium validate controls --count 100                            episodes without a fault, which must cause no alarm',
  ],
  options: OPTIONS,
  async run({ positionals, options: given, root, answer, progress }) {
    const minValid = parsePercent(given['min-valid'])
    const options = await resolveSeed(positionals, given, progress)
    const { source, problems } = await selectProblems(positionals, options)
    const { circumstancesOf, makeFolder } = await import('#lab/records')
    const { openLedger, planSuite } = await import('#lab/validation')
    const { createInterruptSignal } = await import('../create-interrupt-signal.ts')
    const { prepareValidation } = await import('../validity/prepare-validation.ts')
    const { showProgress } = await import('../validity/show-progress.ts')
    const { loadPlanInputs, validateProblems } = await import('../validity/validate-problems.ts')
    const title = [source, ...options.system.map((system) => `on ${system}`)].join(' ')
    const documentHead = { title, ...circumstancesOf(root), command: commandLine(positionals, options) }
    const { engine, records, out, ledger: path, seed = 'remedium', only, sample } = options
    const { usesMachine } = await import('#lab/workers')
    const { workers = usesMachine(engine) ? WORKERS_OPTION.default : availableParallelism() } = options
    const inputs = await loadPlanInputs(problems)
    const hackShare = HACK_SHARES[options.hacks]
    const planning = { ...inputs, hackShare, seed, sample, ...(only.length === 0 ? {} : { only }) }
    const plan = planSuite(problems, planning)
    const skipped = problems.length - plan.length
    await checkOutputs(options)
    const ledgerHead = {
      ...{ suite: title, seed: options.seed ?? 'own', commit: documentHead.commit },
      ...(engine === DEFAULT_ENGINE ? {} : { engine }),
    }
    const open = () => openLedger(path, ledgerHead, { anyCommit: options['any-commit'] })
    await prepareValidation(plan, { engine, path, open, progress })
    if (records !== undefined) makeFolder(records, '--records')
    const ledger = open()
    const view = showProgress(progress)
    if (skipped > 0 && sample === undefined)
      progress(`${skipped} problems are skipped, because none of the attempts applies to them.`)
    const signal = createInterruptSignal(
      path === undefined ? 'Give --ledger to be able to resume.' : 'Run the same command to resume.',
    )
    try {
      const running = { ...planning, ...view, workers, engine, ledger, records, signal }
      const validity = await validateProblems(problems, running)
      view.end()
      const circumstances = { ...documentHead, commit: ledger.commits.join(', then ') }
      const isControls = source === 'controls'
      const succeeded = await publishResult(validity, circumstances, { isControls, out, answer, progress })
      return succeeded && validity.share >= minValid ? 0 : 1
    } finally {
      view.end()
      ledger.close()
    }
  },
})
