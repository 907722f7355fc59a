/** The matrix of a validation: a row for each problem, a mark for each attempt. */
import { attemptMark, hackIn, type ProblemValidity, type Validity } from '../../runs/index.ts'
import { seconds } from '../figures.ts'
import { toTable } from '../table.ts'

/** Hacks that failed as dots, one that passed or could not be judged by its name. */
const hackMarks = ({ attempts }: ProblemValidity): string => {
  const hacks = attempts.filter(({ attempt }) => hackIn(attempt) !== undefined)
  if (hacks.length === 0) return '-'
  const dots = '.'.repeat(hacks.filter(({ outcome }) => outcome === 'unresolved').length)
  const named = hacks
    .filter(({ outcome }) => outcome !== 'unresolved')
    .map((hack) => `${hackIn(hack.attempt)} ${attemptMark(hack)}`)
  return [dots, ...named].filter((part) => part !== '').join(' ')
}

const rowOf = (one: ProblemValidity): string[] => {
  const { problem, attempts, valid } = one
  const find = (name: string) => attempts.find(({ attempt }) => attempt === name)
  const right = find('reference') ?? find('do-nothing')
  return [
    ...[problem.id, attemptMark(find('do-nothing')), attemptMark(find('reference')), hackMarks(one)],
    ...[seconds(right?.stages.total), valid ? 'valid' : 'NOT VALID'],
  ]
}

const mediansText = ({ medians }: Validity): string =>
  Object.entries(medians)
    .map(([stage, ms]) => `${stage} ${seconds(ms)}`)
    .join(', ')

const listed = (
  heading: string,
  { problems }: Validity,
  sentencesOf: (one: ProblemValidity) => readonly string[],
): string[] => {
  const lines = problems.flatMap((one) =>
    sentencesOf(one).map((sentence) => `  ${one.problem.id}: ${sentence}`),
  )
  return lines.length === 0 ? [] : [`${heading}:\n${lines.join('\n')}`]
}

export const matrixText = (validity: Validity): string => {
  const { problems, valid, share, repeated, isPartial } = validity
  const medians = mediansText(validity)
  return [
    toTable(
      ['PROBLEM', 'DO-NOTHING', 'REFERENCE', 'HACKS', 'INJECTION TO VERDICT', 'VALIDITY'],
      problems.map(rowOf),
    ),
    ...listed('Exceptions', validity, ({ exceptions }) => exceptions),
    ...listed('Begun more than once', validity, ({ repetitions }) => repetitions),
    `${valid} of ${problems.length} problems are valid${isPartial ? ' as far as they were tried' : ''} (${share.toFixed(1)} %); ${repeated} attempts were begun more than once.` +
      (medians === '' ? '' : `\nMedians with the reference: ${medians}.`),
  ].join('\n\n')
}
