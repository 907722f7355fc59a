/** Needs root: tests which files of this machine isolated programs can see and write. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCgroups } from '#machine/linux'
import type { ProgramView } from './program-view.ts'
import { startIsolatedProgram } from './start-isolated-program.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolated-'))
  for (const name of ['own/inner', 'own/secret', 'own/secret/exception', 'foreign'])
    mkdirSync(join(folder, name), { recursive: true })
  for (const name of ['own/inner/a', 'own/secret/b', 'own/secret/exception/c', 'foreign/d'])
    writeFileSync(join(folder, name), name)
})
afterAll(() => rmSync(folder, { recursive: true }))

const LIMITS = { memoryBytes: 2 ** 28, processes: 50, fileBytes: 2 ** 24, cores: 1 }

const runIsolated = async (script: string, view: Partial<ProgramView>) => {
  const program = await startIsolatedProgram({
    command: ['/bin/sh', '-c', script],
    environment: { PATH: '/usr/bin:/bin' },
    view: { folder: '/', visible: [], hidden: [], ...view },
    limits: LIMITS,
    reach: [],
  })
  try {
    const stdout = await text(program.stdout)
    return { stdout, ...(await program.ended), isStarted: program.isStarted }
  } finally {
    await program.close()
  }
}

it('does not see a hidden folder inside a visible one, except visible folders inside it', async () => {
  const view = {
    folder: join(folder, 'own'),
    visible: [join(folder, 'own'), join(folder, 'own/secret/exception')],
    hidden: [join(folder, 'own/secret')],
  }
  const { stdout } = await runIsolated(`find ${folder} -type f | sort; pwd`, view)
  expect(stdout.trim().split('\n')).toEqual([
    join(folder, 'own/inner/a'),
    join(folder, 'own/secret/exception/c'),
    join(folder, 'own'),
  ])
})

it('starts in its working directory, even if it is not visible', async () => {
  const { stdout } = await runIsolated('pwd; ls -A; touch x 2>&1', { folder: join(folder, 'foreign') })
  expect(stdout).toMatch(/^\S+\/foreign\ntouch: /)
})

it('cannot write to visible folders', async () => {
  const { stdout } = await runIsolated(
    `for f in ${folder}/own /usr /etc /opt; do touch $f/x 2>&1; done; echo end`,
    {
      visible: [join(folder, 'own')],
    },
  )
  expect(stdout.match(/touch: /g)?.length).toBeGreaterThanOrEqual(3)
  expect(await readdir(join(folder, 'own'))).not.toContain('x')
})

it('is removed with its folder and control group when it has ended', async () => {
  expect(await runIsolated('exit 127', {})).toMatchObject({ exitCode: 127, isStarted: true, stdout: '' })
  const remainingGroups = createCgroups().children('remedium-sandboxes')
  expect(remainingGroups.filter((name) => name.includes(`-${process.pid}-`))).toEqual([])
  expect((await readdir('/dev/shm')).filter((name) => name.includes(`-${process.pid}-`))).toEqual([])
})
