/** Tests of the choice between several installations of ansible-playbook. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { isExecutable } from '#kit'
import { findAnsiblePlaybook } from './find-ansible.ts'

it('ignores an ansible-playbook on the PATH that is not visible in a sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'find-ansible-test-'))
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  writeFileSync(join(folder, 'ansible-playbook'), '#!/usr/bin/python3\n', { mode: 0o755 })
  const expected = isExecutable('/usr/bin/ansible-playbook') ? '/usr/bin/ansible-playbook' : undefined
  expect(findAnsiblePlaybook()).toBe(expected)
})
