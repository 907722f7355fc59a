/** Tests the search for kubectl with shell scripts in place of real clients. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findKubectls } from './kubectls.ts'

let root: string

const writeScript = (path: string, text: string): string => {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
  return file
}

const writeKubectl = (path: string, gitVersion: string): string =>
  writeScript(path, `echo called >> '${root}/calls'; echo '{"clientVersion":{"gitVersion":"${gitVersion}"}}'`)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kubectls-'))
  mkdirSync(join(root, 'bin'))
  vi.stubEnv('PATH', join(root, 'bin'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true })
})

describe('findKubectls', () => {
  it('finds clients on the PATH, next to the target of a link, and downloaded ones, oldest first', () => {
    const fetched = writeKubectl('.remedium/tools/kubectl-bookworm', 'v1.20.2')
    const sibling = writeKubectl('sdk/bin/kubectl.1.9', 'v1.9.11')
    const onPath = join(root, 'bin', 'kubectl')
    symlinkSync(writeKubectl('sdk/bin/kubectl', 'v1.32.4'), onPath)
    expect(findKubectls(root)).toEqual([
      { version: '1.9.11', path: sibling },
      { version: '1.20.2', path: fetched },
      { version: '1.32.4', path: onPath },
    ])
  })

  it('skips a dispatcher, a duplicate version, and a broken client', () => {
    writeKubectl('bin/kubectl', 'v1.32.4-dispatcher')
    const kept = writeKubectl('bin/kubectl.1.32', 'v1.32.3+ds')
    writeKubectl('.remedium/tools/kubectl-trixie', 'v1.32.3')
    writeScript('.remedium/tools/kubectl-broken', 'exit 1')
    expect(findKubectls(root)).toEqual([{ version: '1.32.3', path: kept }])
  })

  it('runs a binary again only after it has changed', () => {
    const path = writeKubectl('bin/kubectl', 'v1.30.0')
    expect(findKubectls(root)).toEqual([{ version: '1.30.0', path }])
    expect(findKubectls(root)).toEqual([{ version: '1.30.0', path }])
    expect(readFileSync(join(root, 'calls'), 'utf8')).toBe('called\n')
    writeKubectl('bin/kubectl', 'v1.31.10')
    expect(findKubectls(root)).toEqual([{ version: '1.31.10', path }])
  })

  it('returns an empty list if there are no clients', () => {
    expect(findKubectls(root)).toEqual([])
  })
})
