/** `remedium agree`: compares the verdicts of the same attempts on local and simulated clusters. */
import { basename, join } from 'node:path'
import type { Agreement } from '#lab/agreement'
import type { FinishedLedger } from '#lab/validation'
import { ENGINE_NAMES, RemediumError } from '#spec'
import { type CommandContext, defineCommand, type OptionValues } from '../define-command.ts'
import { WORKERS_OPTION } from '../integer-options.ts'
import { toCommandLine } from '../to-command-line.ts'

const OPTIONS = {
  ledgers: {
    type: 'string',
    value: 'DIR',
    about: 'validate the suites on both engines, with ledgers in this folder; resumes unfinished ones',
  },
  records: {
    type: 'string',
    value: 'DIR',
    about: 'a folder with records of attempts, for ledgers without metrics',
    multiple: true,
  },
  system: { type: 'string', value: 'SYSTEM', about: 'only problems on this system', multiple: true },
  fault: { type: 'string', value: 'FAULT', about: 'only problems with this fault', multiple: true },
  hacks: {
    type: 'string',
    value: 'WHICH',
    about:
      'with --ledgers, the problems on which to try hacks and further right repairs: all, quarter or none',
    default: 'all',
    choices: ['all', 'quarter', 'none'],
  },
  workers: WORKERS_OPTION,
  'min-equal': {
    type: 'number',
    value: 'PERCENT',
    about: 'exit with 1 if a smaller share of verdicts is equal',
    default: 98,
    min: 0,
    max: 100,
  },
  out: { type: 'string', value: 'FILE', about: 'write the result as Markdown to this file' },
} as const

type Options = OptionValues<typeof OPTIONS>
type Context = CommandContext<typeof OPTIONS>

/** Validates the suite on each engine, and returns the paths of the ledgers. */
const validateSuite = async (suite: string, folder: string, context: Context): Promise<string[]> => {
  const { validate } = await import('./validate.ts')
  const { parseOptions } = await import('../parse-options.ts')
  const { fileNameOf } = await import('#lab/records')
  const { system, hacks, workers } = context.options
  const paths: string[] = []
  for (const engine of ENGINE_NAMES) {
    const ledger = join(folder, fileNameOf(`${basename(suite)}.${engine}`, '.jsonl'))
    const { options, positionals } = parseOptions('validate', validate, [
      ...[suite, '--engine', engine, '--hacks', hacks, '--ledger', ledger],
      ...['--any-commit', '--min-valid', '0'],
      ...system.flatMap((name) => ['--system', name]),
      ...(workers === undefined ? [] : ['--workers', String(workers)]),
    ])
    context.progress(`validate ${suite} on ${engine}:`)
    await validate.run({ ...context, options: options as never, positionals, answer() {} })
    paths.push(ledger)
  }
  return paths
}

const makeLedgers = async (
  suites: readonly string[],
  folder: string,
  context: Context,
): Promise<string[]> => {
  const { makeFolder } = await import('#lab/records')
  makeFolder(folder, '--ledgers')
  const paths: string[] = []
  for (const suite of suites) paths.push(...(await validateSuite(suite, folder, context)))
  return paths
}

const keepSelected = (ledger: FinishedLedger, { system, fault }: Options): FinishedLedger => ({
  ...ledger,
  results: ledger.results.filter(
    (result) =>
      (system.length === 0 || system.includes(result.system)) &&
      (fault.length === 0 || result.faults.some((name) => fault.includes(name))),
  ),
})

const checkEngines = (ledgers: readonly FinishedLedger[]): void => {
  for (const engine of ENGINE_NAMES)
    if (ledgers.every((ledger) => ledger.engine !== engine))
      throw new RemediumError('bad-argument', `None of the ledgers is of the engine ${engine}.`, {
        hint: `Make one with "remedium validate SUITE --engine ${engine} --ledger FILE".`,
      })
}

const toText = async (agreement: Agreement): Promise<string> => {
  const { agreementSentence } = await import('#lab/agreement')
  const { percent, toTable } = await import('#lab/text')
  const { bySystem, differences, measures, unsupported } = agreement
  const systems = bySystem.map(({ name, equal, different, unsupported: without }) => [
    ...[name, String(equal), String(different), String(without)],
    equal + different === 0 ? '-' : percent(equal / (equal + different)),
  ])
  return [
    toTable(['SYSTEM', 'EQUAL', 'DIFFERENT', 'UNSUPPORTED', 'SHARE'], systems),
    toTable(
      ['PROBLEM', 'ATTEMPT', 'LOCAL', 'SIM', 'REASON ON SIM'],
      differences.map(({ problem, attempts: [first, ...more], local, sim }) => [
        ...[problem, more.length === 0 ? first! : `${first} and ${more.length} more`],
        ...[local.outcome, sim.outcome, sim.reason.slice(0, 100).replaceAll('\n', ' ')],
      ]),
    ),
    toTable(
      ['MEASURE', 'PAIRS', 'SPEARMAN'],
      measures.map(({ measure, pairs, correlation }) => [
        ...[measure, String(pairs), correlation?.toFixed(2) ?? '-'],
      ]),
    ),
    `${agreementSentence(agreement)} Not supported by the simulator: ${unsupported}.`,
  ].join('\n\n')
}

export const agree = defineCommand({
  summary: 'Compare the verdicts of the same attempts on local and simulated clusters',
  positionals: 'LEDGER|SUITE ...',
  examples: [
    'remedium agree live.jsonl sim.jsonl                          ledgers of "remedium validate"; their heads name the engines',
    'remedium agree live.jsonl sim.jsonl --records live --out a.md  also compare times of attempts with records',
    'remedium agree smoke core --ledgers folder                   validate both suites on both engines first',
  ],
  options: OPTIONS,
  async run(context) {
    const { positionals, options, root, answer, progress } = context
    const { ledgers: folder, records, out } = options
    if (positionals.length === 0)
      throw new RemediumError('bad-argument', 'Name ledgers of both engines, or suites with --ledgers.')
    const { circumstancesOf } = await import('#lab/records')
    const { checkOutFile } = await import('../check-out-file.ts')
    const { writePage } = await import('../write-page.ts')
    const { readLedger } = await import('#lab/validation')
    const { agreementDocument, pairAttempts, summariseAgreement, withMetrics } = await import(
      '#lab/agreement'
    )
    if (out !== undefined) checkOutFile(out, 'result', '--out')
    const paths = folder === undefined ? positionals : await makeLedgers(positionals, folder, context)
    const ledgers = paths.map((path) => keepSelected(readLedger(path), options))
    checkEngines(ledgers)
    const agreement = summariseAgreement(pairAttempts(ledgers.map((ledger) => withMetrics(ledger, records))))
    // Without the folders, so that the command is the same on every machine.
    const given = {
      positionals: positionals.map((path) => basename(path)),
      options: { ...options, records: [], ledgers: undefined, out: undefined },
    }
    const head = { ...circumstancesOf(root), command: toCommandLine('agree', OPTIONS, given), ledgers }
    answer(
      { ...agreement, ledgers: ledgers.map(({ suite, engine, commits }) => ({ suite, engine, commits })) },
      await toText(agreement),
    )
    const isWritten = out === undefined || writePage(out, agreementDocument(agreement, head), progress)
    return isWritten && (agreement.share ?? 0) * 100 >= options['min-equal'] ? 0 : 1
  },
})
