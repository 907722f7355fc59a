/** Runs `npm run check` as part of the tests. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

describe('npm run check', () => {
  it.each(['types', 'style', 'rooms', 'unused'])('%s', (part) => {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', `check:${part}`], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect(status, `${stdout}${stderr}`).toBe(0)
  })
})
