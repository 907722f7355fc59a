/** Compares the answers of Remedium with those of Ansible: values with their types, and whether there is an error. */
import { isDeepStrictEqual } from 'node:util'
import type { Answer, Case } from './case.ts'
import { normaliseTagged } from './tagged-value.ts'

export interface Comparison {
  readonly testCase: Case
  readonly remedium: Answer
  readonly ansible: Answer
  readonly outcome: 'equal' | 'unsupported' | 'different'
  /** For errors: whether the messages are equal, too. */
  readonly hasSameMessage: boolean
}

const outcomeOf = (remedium: Answer, ansible: Answer): Comparison['outcome'] => {
  if ('unsupported' in remedium) return 'unsupported'
  if ('error' in remedium || 'error' in ansible)
    return 'error' in remedium && 'error' in ansible ? 'equal' : 'different'
  const isEqual = 'value' in ansible && isDeepStrictEqual(remedium.value, normaliseTagged(ansible.value))
  return isEqual ? 'equal' : 'different'
}

export const compareAnswers = (testCase: Case, remedium: Answer, ansible: Answer): Comparison => ({
  testCase,
  remedium,
  ansible,
  outcome: outcomeOf(remedium, ansible),
  hasSameMessage: 'error' in remedium && 'error' in ansible && remedium.message === ansible.message,
})
