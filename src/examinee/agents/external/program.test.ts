/** Tests the back pressure on the output of a program. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRealClock } from '#kit'
import { startProgram } from './program.ts'

const LINES = 40
const LINE_CHARACTERS = 1_000_000

test('blocks the program while too many of its lines are unread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'program-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const doneFile = join(folder, 'done')
  const script = `
    const line = '"' + 'x'.repeat(${LINE_CHARACTERS}) + '"\\n'
    for (let at = 0; at < ${LINES}; at += 1) if (!process.stdout.write(line)) await new Promise((go) => process.stdout.once('drain', go))
    require('node:fs').writeFileSync('${doneFile}', '')`
  const program = await startProgram({
    path: process.execPath,
    args: ['-e', `(async () => {${script}})()`],
    clock: createRealClock(),
    silenceMs: 20_000,
    isolation: undefined,
    folder: undefined,
  })
  onTestFinished(() => program.close(0))
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(existsSync(doneFile)).toBe(false)
  let readCount = 0
  for (let line = await program.next(); line !== undefined; line = await program.next()) readCount += 1
  expect(readCount).toBe(LINES)
  expect(existsSync(doneFile)).toBe(true)
})
