/** Tests which files and folders of the machine an external program sees. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { REPOSITORY } from '#kit'
import { findVisiblePaths, HIDDEN_CHECKOUT_FOLDERS } from './visible-paths.ts'

let base: string
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'visible-')))
  for (const name of ['agent/lib', 'venv/bin', 'python/bin', 'runs/1', 'other'])
    mkdirSync(join(base, name), { recursive: true })
  for (const name of ['agent/main.py', 'python/bin/python3'])
    writeFileSync(join(base, name), '', { mode: 0o755 })
  symlinkSync(join(base, 'python/bin/python3'), join(base, 'venv/bin/python'))
})
afterAll(() => rmSync(base, { recursive: true }))

const findPaths = (
  command: readonly string[],
  folder: string,
  options: { folders?: string[]; hidden?: string[] } = {},
) => findVisiblePaths({ command, folder, folders: [], hidden: [], ...options }).toSorted()

test('a file is visible with its folder, and a linked interpreter with its installation', () => {
  const command = ['/bin/sh', '-c', `exec ${base}/venv/bin/python '${base}/agent/main.py' --fast`]
  expect(findPaths(command, '/')).toEqual([`${base}/agent`, `${base}/python`, `${base}/venv`])
  expect(findPaths(['python3', 'main.py'], `${base}/agent`)).toEqual([`${base}/agent`])
})

test('the working directory is visible, unless it contains a hidden folder', () => {
  expect(findPaths(['true'], `${base}/other`)).toEqual([`${base}/other`])
  const hidden = [`${base}/runs/1`]
  expect(findPaths(['true'], base, { hidden })).toEqual([])
  expect(findPaths(['python3', 'agent/main.py'], base, { hidden })).toEqual([`${base}/agent`])
  expect(findPaths(['cat', `${base}/runs/1`], '/', { hidden })).toEqual([])
})

test.each(['/', '/home', tmpdir(), homedir(), REPOSITORY, join(REPOSITORY, 'src')])(
  'the working directory %s is not visible',
  (folder) => {
    expect(findPaths(['true', '.'], folder)).toEqual([])
  },
)

test('in the checkout, only named files and folders of the operator are visible', () => {
  expect(findPaths(['cat', 'suites/smoke.yaml', 'suites'], REPOSITORY)).toEqual([
    join(REPOSITORY, 'suites/smoke.yaml'),
  ])
  expect(findPaths(['python3', 'examples/first-aid.py'], REPOSITORY)).toEqual([join(REPOSITORY, 'examples')])
})

test('HIDDEN_CHECKOUT_FOLDERS lists all tracked folders except the examples', () => {
  const { stdout } = spawnSync('git', ['-C', REPOSITORY, 'ls-files'], { encoding: 'utf8' })
  const folders = new Set(
    stdout.split('\n').flatMap((path) => (path.includes('/') ? [path.split('/')[0]!] : [])),
  )
  folders.delete('examples')
  expect(HIDDEN_CHECKOUT_FOLDERS).toEqual(expect.arrayContaining([...folders]))
})

test('rejects a named folder that must not be visible, and one that does not exist', () => {
  expect(findPaths(['true'], '/', { folders: [`${base}/other`] })).toEqual([`${base}/other`])
  for (const folder of [REPOSITORY, join(REPOSITORY, 'suites'), '/', homedir(), `${base}/runs`])
    expect(() => findPaths(['true'], '/', { folders: [folder], hidden: [`${base}/runs/1`] })).toThrow(
      expect.objectContaining({
        code: 'bad-argument',
        message: expect.stringContaining('cannot be made visible'),
      }),
    )
  expect(() => findPaths(['true'], '/', { folders: ['/no/such'] })).toThrow('does not exist')
})
