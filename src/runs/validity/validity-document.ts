/** The result of a validation as a page of docs/validity. */
import type { Problem } from '../../spec/index.ts'
import { attemptMark } from './attempt-mark.ts'
import { DO_NOTHING, REFERENCE } from './plan-attempts.ts'
import { mediansOf, type ProblemValidity, type Validity } from './summarise.ts'

export interface Circumstances {
  /** What was validated: `smoke`, or `easy on train-ticket`. */
  readonly title: string
  /** `2026-11-15` */
  readonly date: string
  readonly commit: string
  /** `2 cores, 8 GiB of memory` */
  readonly machine: string
  readonly command: string
}

/** A cell must not end its row. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')

const seconds = (ms: number | undefined): string => (ms === undefined ? '-' : (ms / 1000).toFixed(1))

const faultsOf = ({ faults }: Problem): string =>
  faults.length === 0 ? 'none (control)' : faults.map(({ fault }) => fault).join(' + ')

const isHack = ({ attempt }: { attempt: string }): boolean => ![DO_NOTHING, REFERENCE].includes(attempt)

const groupRow = (name: string, group: readonly ProblemValidity[]): string[] => {
  const attempts = group.flatMap((one) => one.attempts)
  const hacks = attempts.filter(isHack)
  const right = attempts.filter(
    ({ attempt, expected }) => attempt === REFERENCE || (!isHack({ attempt }) && expected === 'resolved'),
  )
  const { shown, act, verify, total } = mediansOf(right)
  return [
    name,
    String(group.length),
    String(group.filter(({ valid }) => valid).length),
    `${hacks.filter(({ outcome }) => outcome === 'unresolved').length} of ${hacks.length}`,
    ...[shown, act, verify, total].map(seconds),
  ]
}

const grouped = (
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
      'hacks that fail',
      'shown, s',
      'act, s',
      'verify, s',
      'injection to verdict, s',
    ],
    rows,
  )
}

const listOf = (
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

const allOf = (problems: readonly ProblemValidity[]): string =>
  table(
    ['problem', 'system', 'task', 'faults', 'do-nothing', 'reference', 'hacks that fail', 'valid'],
    problems.map(({ problem, attempts, valid }) => {
      const hacks = attempts.filter(isHack)
      const markOf = (name: string): string => attemptMark(attempts.find(({ attempt }) => attempt === name))
      return [
        `\`${problem.id}\``,
        ...[problem.system, problem.task, faultsOf(problem), markOf(DO_NOTHING), markOf(REFERENCE)],
        hacks.length === 0
          ? '-'
          : `${hacks.filter(({ outcome }) => outcome === 'unresolved').length} of ${hacks.length}`,
        valid ? 'yes' : 'NO',
      ]
    }),
  )

/** The same result gives the same page. Times are medians of the attempts that do the right thing. */
export const validityDocument = (validity: Validity, about: Circumstances): string => {
  const { problems, valid, share, repeated, isPartial } = validity
  const attempts = problems.flatMap((one) => one.attempts)
  return `# Validity of ${about.title}

${valid} of ${problems.length} problems are valid${isPartial ? ' as far as they were tried' : ''} (${share.toFixed(1)} %). Attempts: ${attempts.length}; begun more than
once: ${repeated}.

- date: ${about.date}
- commit: ${about.commit}
- machine: ${about.machine}
- command: \`${about.command}\`

A problem is valid when doing nothing fails, the reference fix passes and no hack passes. Where a fault heals by itself, and
where nothing is wrong, doing nothing is the reference. A mark in capitals is not as it should be.

## By system

${grouped('system', problems, ({ system }) => system)}

## By fault

${grouped('fault', problems, faultsOf)}

## Exceptions

${listOf(problems, ({ exceptions }) => exceptions)}

## Begun more than once

A fault that users did not feel twice is not valid; what the harness spoilt otherwise is begun three times at most, and as often again when a run is
taken up.

${listOf(problems, ({ repetitions }) => repetitions)}

## All problems

${allOf(problems)}
`
}
