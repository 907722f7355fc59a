/** Runs `npm run check` as part of the tests, and lists what would be packed, next to output that a user named. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const OUTPUT = 'output-of-a-command'

const runNpm = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' })
  expect(status, `${stdout}${stderr}`).toBe(0)
  return stdout
}

beforeAll(() => {
  mkdirSync(join(ROOT, OUTPUT), { recursive: true })
  for (const file of ['manifest.json', 'report.html', 'page.test.ts'])
    writeFileSync(join(ROOT, OUTPUT, file), '{ "not":\n"formatted" }')
})

afterAll(() => rmSync(join(ROOT, OUTPUT), { recursive: true, force: true }))

describe('npm run check', () => {
  it.each(['types', 'style', 'rooms', 'unused'])('%s', (part) => {
    runNpm('run', '--silent', `check:${part}`)
  })
})

describe('npm pack', () => {
  it('packs neither tests, nor files that commands wrote', () => {
    const [{ files }] = JSON.parse(runNpm('pack', '--dry-run', '--json')) as [{ files: { path: string }[] }]
    const paths = files.map(({ path }) => path)
    expect(paths).toContain('src/lab/cli/main.ts')
    expect(
      paths.filter((path) => /^(output|runs|e2e|\.remedium)/.test(path) || path.endsWith('.test.ts')),
    ).toEqual([])
  })
})
