/** Tests that packages are installed on first use, with a shell script as apt-get. Requires root. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ensureSystemPackages } from './system-packages.ts'

let folder: string
let lines: string[]

const writeApt = (ending: string): void => {
  const file = join(folder, 'apt-get')
  writeFileSync(file, `#!/bin/sh\necho "$*" >> '${folder}/calls'\n${ending}\n`)
  chmodSync(file, 0o755)
}
const ensure = (): Promise<void> => ensureSystemPackages((line) => lines.push(line))
const calls = (): string => readFileSync(join(folder, 'calls'), 'utf8')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-apt-'))
  lines = []
  // A PATH without any other program.
  vi.stubEnv('PATH', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

it('installs missing packages, with one line of progress', async () => {
  writeApt('exit 0')
  await ensure()
  expect(lines).toEqual([expect.stringMatching(/^first use: installing .*python3 from Debian \.\.\.$/)])
  const [update, install] = calls().trim().split('\n')
  expect(update).toMatch(/ update -qq$/)
  expect(install).toMatch(/ install -y -qq --no-install-recommends .*\bstress-ng\b.*\bpython3$/)
})

it('reports the command to run if the installation fails', async () => {
  writeApt('echo "E: no network" >&2; exit 100')
  await expect(ensure()).rejects.toMatchObject({
    code: 'tool-failed',
    message: expect.stringContaining('E: no network'),
    hint: expect.stringMatching(/run: apt-get install .*python3$/),
  })
})

it('installs nothing with REMEDIUM_INSTALL=no', async () => {
  writeApt('exit 0')
  vi.stubEnv('REMEDIUM_INSTALL', 'no')
  await ensure()
  expect(lines).toEqual([])
  expect(existsSync(join(folder, 'calls'))).toBe(false)
})
