/** Formats the result of a validation as a table: a row for each problem, a mark for each attempt. */

import { seconds, toTable } from '#lab/text'
import { attemptMark, hackNameOf, type ProblemValidity, type Validity } from '#lab/validation'

/** Failed hacks are shown as dots; a hack that passed, is void or found nothing to damage is named. */
const hackMarks = ({ attempts }: ProblemValidity): string => {
  const hacks = attempts.filter(({ attempt }) => hackNameOf(attempt) !== undefined)
  if (hacks.length === 0) return '-'
  const dots = '.'.repeat(hacks.filter(({ outcome }) => outcome === 'unresolved').length)
  const named = hacks
    .filter(({ outcome }) => outcome !== 'unresolved')
    .map((hack) => `${hackNameOf(hack.attempt)} ${attemptMark(hack)}`)
  return [dots, ...named].filter((part) => part !== '').join(' ')
}

const rowOf = (validity: ProblemValidity): string[] => {
  const { problem, attempts, valid } = validity
  const find = (name: string) => attempts.find(({ attempt }) => attempt === name)
  const expectedToPass = find('reference') ?? find('do-nothing')
  return [
    ...[problem.id, attemptMark(find('do-nothing')), attemptMark(find('reference')), hackMarks(validity)],
    ...[seconds(expectedToPass?.stages.total), valid ? 'valid' : 'NOT VALID'],
  ]
}

const mediansText = ({ medians }: Validity): string =>
  Object.entries(medians)
    .map(([stage, ms]) => `${stage} ${seconds(ms)}`)
    .join(', ')

const toSection = (
  heading: string,
  { problems }: Validity,
  sentencesOf: (validity: ProblemValidity) => readonly string[],
): string[] => {
  const lines = problems.flatMap((validity) =>
    sentencesOf(validity).map(
      (sentence) => `  ${validity.problem.id}: ${sentence.trim().replace(/\s+/g, ' ')}`,
    ),
  )
  return lines.length === 0 ? [] : [`${heading}:\n${lines.join('\n')}`]
}

export const matrixText = (validity: Validity): string => {
  const { problems, valid, share, retried, unsupported, isPartial } = validity
  const medians = mediansText(validity)
  return [
    toTable(
      ['PROBLEM', 'DO-NOTHING', 'REFERENCE', 'HACKS', 'INJECTION TO VERDICT', 'VALIDITY'],
      problems.map(rowOf),
    ),
    ...toSection('Exceptions', validity, ({ exceptions }) => exceptions),
    ...toSection('Retried', validity, ({ retries }) => retries),
    ...toSection('Without effect', validity, ({ idle }) => idle),
    `${valid} of ${problems.length} problems are valid${isPartial ? ' in the attempts made' : ''} (${share.toFixed(1)} %); ${retried} attempts were retried.` +
      (unsupported === 0 ? '' : ` The engine does not support ${unsupported} attempts.`) +
      (medians === '' ? '' : `\nMedian times of the reference: ${medians}.`),
  ].join('\n\n')
}
