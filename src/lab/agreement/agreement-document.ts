/** Formats the agreement of two engines as the page docs/agreement.md. */
import { percent } from '#lab/text'
import type { FinishedLedger } from '#lab/validation'
import type { Agreement, AgreementGroup, Difference, MeasureAgreement } from './summarise-agreement.ts'

export interface AgreementHead {
  readonly date: string
  readonly commit: string
  readonly machine: string
  readonly command: string
  readonly ledgers: readonly Pick<FinishedLedger, 'suite' | 'engine' | 'commits'>[]
}

/** Longer reasons are cut, because some contain whole objects. */
const MAX_REASON = 300

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => '---'), ...rows]
    .map((row) => `| ${row.map(escapeCell).join(' | ')} |`)
    .join('\n')

const shareOf = ({ equal, different }: Pick<AgreementGroup, 'equal' | 'different'>): string =>
  equal + different === 0 ? '-' : percent(equal / (equal + different))

const groupTable = (heading: string, groups: readonly AgreementGroup[]): string =>
  table(
    [heading, 'equal', 'different', 'unsupported', 'share of equal verdicts'],
    groups.map((group) => [
      ...[group.name, String(group.equal), String(group.different), String(group.unsupported)],
      shareOf(group),
    ]),
  )

const round = (value: number | undefined): string => {
  if (value === undefined) return '-'
  return Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(0)
}

const measureTable = (measures: readonly MeasureAgreement[]): string =>
  table(
    ['measure', 'of', 'pairs', 'median on local', 'median on sim', "Spearman's rank correlation"],
    measures.map(({ measure, of, pairs, local, sim, correlation }) => [
      ...[measure, of, String(pairs), round(local), round(sim)],
      correlation?.toFixed(2) ?? '-',
    ]),
  )

const shorten = (reason: string): string =>
  reason.length <= MAX_REASON ? reason : `${reason.slice(0, MAX_REASON)} …`

const describe = ({ problem, attempts, local, sim }: Difference): string => {
  const [first, ...more] = attempts
  const names = more.length === 0 ? first! : `${first} and ${more.length} more`
  return `- \`${problem}\`, ${names}
  - local: ${local.outcome}: ${shorten(local.reason).replaceAll('\n', ' ')}
  - sim: ${sim.outcome}: ${shorten(sim.reason).replaceAll('\n', ' ')}`
}

export const agreementSentence = ({ equal, different, share, interval, problems }: Agreement): string =>
  share === undefined
    ? 'No attempt has a verdict on both engines.'
    : `${equal} of ${equal + different} attempts at ${problems} problems have the same verdict on both engines: ${percent(share)} (95 % interval ${percent(interval.low)} to ${percent(interval.high)}).`

/** Returns the same text for the same agreement. */
export const agreementDocument = (agreement: Agreement, head: AgreementHead): string => {
  const { unsupported, onlyLocal, onlySim, differences } = agreement
  const ledgers = head.ledgers.map(
    ({ suite, engine, commits }) => `${suite} on ${engine} (commit ${commits.join(', then ')})`,
  )
  return `# Agreement of the engines local and sim

${agreementSentence(agreement)} Not counted: ${unsupported} attempts that
the simulator does not support, ${onlyLocal} made only on local, ${onlySim} only on sim.

- date: ${head.date}
- commit: ${head.commit}
- machine: ${head.machine}
- command: \`${head.command}\`
- validations: ${ledgers.join('; ')}

The attempts are those of \`remedium validate\`: doing nothing, the reference, other right repairs, and hacks. Attempts at one problem are
alike; the interval takes that into account. An attempt that is void on one engine only counts as different.

## By system

${groupTable('system', agreement.bySystem)}

## By fault

An attempt at a problem with several faults is in the row of each.

${groupTable('fault', agreement.byFault)}

## By attempt

${groupTable('attempt', agreement.byAttempt)}

## Different verdicts

${differences.length === 0 ? 'None.' : differences.map(describe).join('\n')}

## Times and losses

${measureTable(agreement.measures)}
`
}
