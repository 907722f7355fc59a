/** Lets the installed Ansible evaluate templates, all in one process. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findAnsiblePlaybook, pythonOf } from '#platform/playbook'
import type { Answer, Case, CaseVariables } from './case.ts'

const PROGRAM = join(import.meta.dirname, 'evaluate-with-ansible.py')

/** The environment of the evaluation, for `lookup('env', ...)`. */
export const ENVIRONMENT = { HOME: '/home/solver', LANG: 'C.UTF-8' }

/** A fixed time, with a fraction. */
export const NOW_SECONDS = 1_700_000_000.123456

/** `omit` is the value of the variable with this name. */
export const askAnsible = (
  cases: readonly Case[],
  { variables, unsafe }: CaseVariables,
  omit: string,
): Answer[] => {
  const playbook = findAnsiblePlaybook()
  if (playbook === undefined) throw new Error('ansible-playbook is not installed in /usr/bin.')
  const { status, stdout, stderr } = spawnSync(pythonOf(playbook), [PROGRAM], {
    input: JSON.stringify({ now: NOW_SECONDS, omit, groups: [{ variables, unsafe, cases }] }),
    // A folder without an ansible.cfg.
    cwd: import.meta.dirname,
    env: { ...ENVIRONMENT, PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  if (status !== 0) throw new Error(`Ansible's evaluation failed: ${stderr.slice(-2000)}`)
  return (JSON.parse(stdout) as Answer[][])[0]!
}
