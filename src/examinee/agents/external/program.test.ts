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
  const done = join(folder, 'done')
  const script = `
    const line = '"' + 'x'.repeat(${LINE_CHARACTERS}) + '"\\n'
    for (let at = 0; at < ${LINES}; at += 1) if (!process.stdout.write(line)) await new Promise((go) => process.stdout.once('drain', go))
    require('node:fs').writeFileSync('${done}', '')`
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
  expect(existsSync(done)).toBe(false)
  let read = 0
  for (let line = await program.next(); line !== undefined; line = await program.next()) read += 1
  expect(read).toBe(LINES)
  expect(existsSync(done)).toBe(true)
})
