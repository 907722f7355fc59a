/** `remedium validate`: proves the problems of a suite before anybody is judged by them. */
import { writeFileSync } from 'node:fs'
import type { Circumstances, Validity } from '../../runs/index.ts'
import { type Problem, RemediumError } from '../../spec/index.ts'
import { type CommandContext, defineCommand, type OptionValues } from '../define-command.ts'

const OPTIONS = {
  system: { type: 'string', value: 'SYSTEM', about: 'only problems of this system', multiple: true },
  fault: {
    type: 'string',
    value: 'FAULT',
    about: 'instead of a suite: a problem of this fault on each system',
    multiple: true,
  },
  workers: { type: 'integer', value: 'N', about: 'clusters side by side', default: 2, least: 1 },
  hacks: {
    type: 'string',
    value: 'WHICH',
    about: 'on which problems hacks are tried: all, quarter (drawn from the seed) or none',
    default: 'all',
    choices: ['all', 'quarter', 'none'],
  },
  only: {
    type: 'string',
    value: 'ATTEMPT',
    about: 'only do-nothing, reference, right (those that should pass), hacks, or the hack of this name',
    multiple: true,
  },
  seed: {
    type: 'string',
    value: 'SEED',
    about: "what problems and shares are drawn from, instead of the suite's own seed",
  },
  ledger: {
    type: 'string',
    value: 'FILE',
    about: 'where every attempt is kept as it ends; what it holds already is not done again',
  },
  'any-commit': { type: 'boolean', about: 'go on with a ledger of another commit' },
  records: { type: 'string', value: 'DIR', about: 'where the record of every attempt is written' },
  limit: { type: 'integer', value: 'N', about: 'only the first so many problems', least: 1 },
  count: {
    type: 'integer',
    value: 'N',
    about: 'of "controls": how many episodes',
    default: 100,
    least: 1,
  },
  least: { type: 'string', value: 'PERCENT', about: 'end with 1 where fewer are valid', default: '100' },
  out: { type: 'string', value: 'FILE', about: 'write the result as a page of Markdown' },
} as const

type Options = OptionValues<typeof OPTIONS>

const HACK_SHARES: Readonly<Record<Options['hacks'], number>> = { all: 1, quarter: 0.25, none: 0 }

const bad = (message: string, hint?: string): RemediumError =>
  new RemediumError('bad-argument', message, { hint })

const readPercent = (least: string): number => {
  const percent = least.trim() === '' ? Number.NaN : Number(least)
  if (percent >= 0 && percent <= 100) return percent
  throw bad(`--least must be 0 to 100, but "${least}" was given.`)
}

const choose = async (
  [what, ...more]: readonly string[],
  options: Options,
): Promise<{ what: string; problems: readonly Problem[] }> => {
  const { chooseControls, chooseFaults, chooseProblems } = await import('../validity/choose-problems.ts')
  const isFaults = options.fault.length > 0
  if (isFaults === (what !== undefined) || more.length > 0)
    throw bad(
      'Name one suite, one problem or one file with problems, or give --fault.',
      'See "remedium problems" for the suites.',
    )
  const all =
    what === undefined
      ? await chooseFaults(options.fault, options)
      : what === 'controls'
        ? await chooseControls(options)
        : await chooseProblems(what, options)
  return { what: what ?? options.fault.join(' '), problems: all.slice(0, options.limit) }
}

/** Whether it could be written; the result was printed before, so that it is not lost. */
const writePage = (path: string, page: string, progress: CommandContext['progress']): boolean => {
  try {
    writeFileSync(path, page)
    return true
  } catch (error) {
    progress(`remedium: The result was not written to ${path}: ${(error as Error).message}.`)
    return false
  }
}

/** Whether there was no false alarm where nothing was wrong, and all was written. */
const conclude = async (
  validity: Validity,
  about: Circumstances,
  {
    isControls,
    out,
    answer,
    progress,
  }: Pick<CommandContext, 'answer' | 'progress'> & { isControls: boolean; out: string | undefined },
): Promise<boolean> => {
  const { validityDocument } = await import('../../runs/index.ts')
  const { alarmsText, falseAlarms } = await import('../validity/false-alarms.ts')
  const { matrixText } = await import('../validity/matrix-text.ts')
  const alarms = isControls ? falseAlarms(validity) : []
  const alarmed = isControls ? `\n${alarmsText(validity.problems.length, alarms)}\n` : ''
  answer(
    { ...about, ...validity, ...(isControls ? { falseAlarms: alarms } : {}) },
    matrixText(validity) + alarmed,
  )
  const isWritten = out === undefined || writePage(out, validityDocument(validity, about) + alarmed, progress)
  return isWritten && alarms.length === 0
}

/** As somebody would type it again. */
const commandLine = (positionals: readonly string[], options: Options): string => {
  const given = Object.entries(options).flatMap(([name, value]) => {
    const declared = OPTIONS[name as keyof Options]
    if (['ledger', 'records', 'out'].includes(name) || value === undefined) return []
    if ('default' in declared && declared.default === value) return []
    if (typeof value === 'boolean') return value ? [`--${name}`] : []
    return (Array.isArray(value) ? value : [value]).map((one) => `--${name} ${one}`)
  })
  return ['remedium validate', ...positionals, ...given].join(' ')
}

export const validate = defineCommand({
  summary: 'Prove the problems of a suite: doing nothing fails, the reference passes, no hack passes',
  positionals: 'SUITE|PROBLEM|FILE|controls',
  examples: [
    'remedium validate smoke                                           one problem of each kind',
    'remedium validate hard --system train-ticket --hacks quarter      hacks on a quarter of the problems',
    'remedium validate core --ledger core.jsonl                        taken up again by the same command',
    'remedium validate smoke --records r && remedium score r           judged once more, without a cluster',
    'remedium validate --fault dns-misdirected --system train-ticket    one problem of this fault',
    'remedium validate controls --count 100                            nothing is wrong, and nobody says so',
  ],
  options: OPTIONS,
  async run({ positionals, options, root, answer, progress }) {
    const least = readPercent(options.least)
    const { what, problems } = await choose(positionals, options)
    const { checkFolder, makeFolder, openLedger, planSuite } = await import('../../runs/index.ts')
    const { checkOutFile } = await import('../validity/check-out-file.ts')
    const { circumstancesOf } = await import('../validity/circumstances.ts')
    const { interruptible } = await import('../validity/interruptible.ts')
    const { prepareValidation } = await import('../validity/prepare-validation.ts')
    const { showProgress } = await import('../validity/show-progress.ts')
    const { loadPlanTools, validateProblems } = await import('../validity/validate-problems.ts')
    const title = [what, ...options.system.map((system) => `on ${system}`)].join(' ')
    const about = { title, ...circumstancesOf(root), command: commandLine(positionals, options) }
    const { workers, records, out, ledger: path, seed = 'remedium', only } = options
    const tools = await loadPlanTools(problems)
    const hackShare = HACK_SHARES[options.hacks]
    const planning = { ...tools, hackShare, seed, ...(only.length === 0 ? {} : { only }) }
    const plan = planSuite(problems, planning)
    const untried = problems.length - plan.length
    if (out !== undefined) checkOutFile(out, 'result', '--out')
    if (path !== undefined) checkOutFile(path, 'ledger', '--ledger')
    if (records !== undefined) checkFolder(records, '--records')
    const head = { suite: title, seed: options.seed ?? 'own', commit: about.commit }
    const open = () => openLedger(path, head, { anyCommit: options['any-commit'] })
    await prepareValidation(plan, { path, open, progress })
    if (records !== undefined) makeFolder(records, '--records')
    const ledger = open()
    const view = showProgress(progress)
    if (untried > 0)
      progress(`Nothing of what was asked for fits ${untried} of the problems; they are left out.`)
    const signal = interruptible(
      path === undefined
        ? 'With --ledger it could be taken up again.'
        : 'The same command takes it up again.',
    )
    try {
      const validity = await validateProblems(problems, {
        ...planning,
        ...view,
        workers,
        ledger,
        records,
        signal,
      })
      view.end()
      const circumstances = { ...about, commit: ledger.commits.join(', then ') }
      const isControls = what === 'controls'
      const isGood = await conclude(validity, circumstances, { isControls, out, answer, progress })
      return isGood && validity.share >= least ? 0 : 1
    } finally {
      view.end()
      ledger.close()
    }
  },
})
