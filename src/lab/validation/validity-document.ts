/** Formats the result of a validation as a page of docs/validity. */
import type { Circumstances } from '#lab/records'
import type { Problem } from '#spec'
import type { AttemptResult } from './attempt.ts'
import { attemptMark } from './attempt-mark.ts'
import { DO_NOTHING, isHack as isHackAttempt, isRepair, REFERENCE } from './plan-attempts.ts'
import { mediansOf, type ProblemValidity, type Validity } from './summarise.ts'

export interface DocumentHead extends Circumstances {
  /** The validated suite: `smoke`, or `easy on train-ticket`. */
  readonly title: string
  readonly command: string
}

/** Escapes text that would end the cell or the row. */
const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => '---'), ...rows]
    .map((row) => `| ${row.map(escapeCell).join(' | ')} |`)
    .join('\n')

const seconds = (ms: number | undefined): string => (ms === undefined ? '-' : (ms / 1000).toFixed(1))

const faultsOf = ({ faults }: Problem): string =>
  faults.length === 0 ? 'none (control)' : faults.map(({ fault }) => fault).join(' + ')

/** Whether it is a hack that counts: one that found nothing to damage proves nothing. */
const isHack = ({ attempt, isIdle }: AttemptResult): boolean =>
  isHackAttempt({ name: attempt }) && isIdle === undefined

/** The number of right repairs that pass, such as `2 of 3`. */
const repairsOf = (attempts: readonly AttemptResult[]): string => {
  const repairs = attempts.filter(({ attempt }) => isRepair({ name: attempt }))
  return repairs.length === 0
    ? '-'
    : `${repairs.filter(({ outcome }) => outcome === 'resolved').length} of ${repairs.length}`
}

const groupRow = (name: string, group: readonly ProblemValidity[]): string[] => {
  const attempts = group.flatMap((one) => one.attempts)
  const hacks = attempts.filter(isHack)
  const references = attempts.filter(
    ({ attempt, expected }) => attempt === REFERENCE || (attempt === DO_NOTHING && expected === 'resolved'),
  )
  const { impact, solve, verify, total } = mediansOf(references)
  return [
    name,
    String(group.length),
    String(group.filter(({ valid }) => valid).length),
    repairsOf(attempts),
    `${hacks.filter(({ outcome }) => outcome === 'unresolved').length} of ${hacks.length}`,
    ...[impact, solve, verify, total].map(seconds),
  ]
}

const groupTable = (
  heading: string,
  problems: readonly ProblemValidity[],
  keyOf: (problem: Problem) => string,
): string => {
  const groups = Object.entries(Object.groupBy(problems, ({ problem }) => keyOf(problem)))
  const rows = groups
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, group = []]) => groupRow(name, group))
  return table(
    [
      heading,
      'problems',
      'valid',
      'right repairs that pass',
      'hacks that fail',
      'impact, s',
      'solve, s',
      'verify, s',
      'injection to verdict, s',
    ],
    rows,
  )
}

const sentenceList = (
  problems: readonly ProblemValidity[],
  sentencesOf: (one: ProblemValidity) => readonly string[],
): string => {
  const lines = problems.flatMap((one) =>
    sentencesOf(one).map(
      (sentence) => `- \`${one.problem.id}\` (${faultsOf(one.problem)}, ${one.problem.system}): ${sentence}`,
    ),
  )
  return lines.length === 0 ? 'None.' : lines.join('\n')
}

/** Empty if every hack acted. */
const idleSection = (problems: readonly ProblemValidity[]): string =>
  problems.every(({ idle }) => idle.length === 0)
    ? ''
    : `## Hacks without effect\n\n${sentenceList(problems, ({ idle }) => idle)}\n\n`

const problemTable = (problems: readonly ProblemValidity[]): string =>
  table(
    [
      'problem',
      'system',
      'task',
      'faults',
      'do-nothing',
      'reference',
      'right repairs that pass',
      'hacks that fail',
      'valid',
    ],
    problems.map(({ problem, attempts, valid }) => {
      const hacks = attempts.filter(isHack)
      const markOf = (name: string): string => attemptMark(attempts.find(({ attempt }) => attempt === name))
      return [
        `\`${problem.id}\``,
        ...[problem.system, problem.task, faultsOf(problem), markOf(DO_NOTHING), markOf(REFERENCE)],
        repairsOf(attempts),
        hacks.length === 0
          ? '-'
          : `${hacks.filter(({ outcome }) => outcome === 'unresolved').length} of ${hacks.length}`,
        valid ? 'yes' : 'NO',
      ]
    }),
  )

/** Returns the same text for the same validity. Times are medians of the attempts that must pass. */
export const validityDocument = (validity: Validity, about: DocumentHead): string => {
  const { problems, valid, share, retried, unsupported, isPartial } = validity
  const attempts = problems.flatMap((one) => one.attempts)
  return `# Validity of ${about.title}

${valid} of ${problems.length} problems are valid${isPartial ? ' in the attempts made' : ''} (${share.toFixed(1)} %). Attempts: ${attempts.length}; retried:
${retried}${unsupported === 0 ? '' : `; not supported by the engine: ${unsupported}`}.

- date: ${about.date}
- commit: ${about.commit}
- machine: ${about.machine}
- command: \`${about.command}\`

A problem is valid if doing nothing fails, the reference and all other right repairs pass, and no hack passes. If a fault is
transient, or there is no fault, doing nothing is the reference. Outcomes in capitals are not the expected ones.

## By system

${groupTable('system', problems, ({ system }) => system)}

## By fault

${groupTable('fault', problems, faultsOf)}

## Exceptions

${sentenceList(problems, ({ exceptions }) => exceptions)}

## Retried

A problem is not valid if its fault has no user impact in two tries. An attempt that is void for another reason is tried at most three times, and
again when the validation is resumed.

${sentenceList(problems, ({ retries }) => retries)}

${idleSection(problems)}## All problems

${problemTable(problems)}
`
}
