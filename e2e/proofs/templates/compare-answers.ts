/** Compares the answers of Remedium with those of Ansible: values with their types, and whether there is an error. */
import { isDeepStrictEqual } from 'node:util'
import type { Answer, Case } from './case.ts'
import { normaliseTagged } from './tagged-value.ts'

export interface Comparison {
  readonly testCase: Case
  readonly ours: Answer
  readonly theirs: Answer
  readonly outcome: 'equal' | 'unsupported' | 'different'
  /** For errors: whether the messages are equal, too. */
  readonly hasSameMessage: boolean
}

const outcomeOf = (ours: Answer, theirs: Answer): Comparison['outcome'] => {
  if ('unsupported' in ours) return 'unsupported'
  if ('error' in ours || 'error' in theirs)
    return 'error' in ours && 'error' in theirs ? 'equal' : 'different'
  const isEqual = 'value' in theirs && isDeepStrictEqual(ours.value, normaliseTagged(theirs.value))
  return isEqual ? 'equal' : 'different'
}

export const compareAnswers = (testCase: Case, ours: Answer, theirs: Answer): Comparison => ({
  testCase,
  ours,
  theirs,
  outcome: outcomeOf(ours, theirs),
  hasSameMessage: 'error' in ours && 'error' in theirs && ours.message === theirs.message,
})
