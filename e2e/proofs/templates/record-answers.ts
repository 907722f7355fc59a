/** Writes the answers of Ansible to the fixture of the unit tests. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENVIRONMENT, NOW_SECONDS } from './ask-ansible.ts'
import type { CaseVariables } from './case.ts'
import type { Comparison } from './compare-answers.ts'

const FILE = join(import.meta.dirname, '../../../src/platform/templates/testing/ansible-answers.ndjson')

/** Longer answers are omitted. */
const MAX_CHARACTERS = 2000

/** The answer of Ansible: the value as Python prints it, or the error. Messages are recorded if those of Remedium are the same. */
const toLine = ({ testCase, remedium, ansible, hasSameMessage }: Comparison): string => {
  const isSupported = !('unsupported' in remedium)
  const answer =
    'value' in ansible
      ? { repr: ansible.repr }
      : { error: 'error' in ansible && hasSameMessage ? ansible.message : true }
  return JSON.stringify({ ...testCase, ...(isSupported ? answer : { isSupported }) })
}

/** The first line has the time, the environment and the variables; each further line has one case. */
export const recordAnswers = (comparisons: readonly Comparison[], variables: CaseVariables): void => {
  const head = { now: NOW_SECONDS, environment: ENVIRONMENT, ...variables }
  const lines = comparisons.map(toLine).filter((line) => line.length <= MAX_CHARACTERS)
  writeFileSync(FILE, `${[JSON.stringify(head), ...lines].join('\n')}\n`)
}
