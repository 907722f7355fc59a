/** Which ansible-playbook is taken where there are several. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { isExecutable } from '../kit/index.ts'
import { findAnsiblePlaybook } from './find-ansible.ts'

it('is one that a sandbox sees, though another comes first on the PATH', () => {
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
