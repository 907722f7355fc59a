/** Tests that files written under sudo are given to the user who called sudo. */
import { linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { giveToCaller } from './give-to-caller.ts'

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'give-to-caller-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'run'))
  writeFileSync(join(folder, 'run', 'record'), '')
  writeFileSync(join(folder, 'other'), '')
  linkSync(join(folder, 'other'), join(folder, 'run', 'hard'))
  symlinkSync('../other', join(folder, 'run', 'soft'))
  return folder
}
const ownersIn = (folder: string) =>
  Object.fromEntries(
    ['run', 'run/record', 'run/hard', 'run/soft', 'other'].map((name) => [
      name,
      lstatSync(join(folder, name)).uid,
    ]),
  )

it.skipIf(process.geteuid?.() !== 0)(
  'gives the folder to the user who called sudo, but not the targets of its links',
  () => {
    const folder = makeFolder()
    giveToCaller(join(folder, 'run'), { SUDO_UID: '1234', SUDO_GID: '1235' })
    expect(ownersIn(folder)).toEqual({
      run: 1234,
      'run/record': 1234,
      'run/hard': 0,
      'run/soft': 1234,
      other: 0,
    })
  },
)

it.each([{}, { SUDO_UID: '0', SUDO_GID: '0' }, { SUDO_UID: 'x', SUDO_GID: '1' }])(
  'changes nothing without sudo, with an invalid id, or if root called sudo (%j)',
  (env) => {
    const folder = makeFolder()
    const owners = ownersIn(folder)
    giveToCaller(join(folder, 'run'), env)
    expect(ownersIn(folder)).toEqual(owners)
  },
)
