/** Tests that only packages that a sandbox can import count as installed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { isExecutable } from '#kit'
import { missingAnsiblePackages } from './ansible.ts'

const PYTHON = '/usr/bin/python3'

it.skipIf(!isExecutable(PYTHON))('reports modules outside /usr as missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ansible-test-'))
  vi.stubEnv('PYTHONPATH', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  for (const module of ['ansible_collections/kubernetes/core', 'kubernetes', 'jsonpatch'])
    mkdirSync(join(folder, module), { recursive: true })
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o755 })
    return join(folder, name)
  }
  // A Python without system packages.
  const python = write('python-alone', `#!/bin/sh\nexec ${PYTHON} -S "$@"\n`)
  const playbook = write('ansible-playbook', `#!${python}\n`)
  expect(missingAnsiblePackages(playbook)).toEqual(['ansible', 'python3-kubernetes', 'python3-jsonpatch'])
})
