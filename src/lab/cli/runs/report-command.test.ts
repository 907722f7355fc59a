/** Tests the files and errors of `remedium report`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../run-command-line.ts'
import { MANIFEST, RESULT } from '../testing/example-run.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-report-'))
  mkdirSync(join(folder, 'records'))
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(MANIFEST))
  writeFileSync(join(folder, 'results.jsonl'), `${JSON.stringify(RESULT)}\n`)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const runReport = async (...args: string[]) => {
  const output = { out: '', err: '' }
  const code = await runCommandLine(['report', ...args], {
    out: (text) => {
      output.out += text
    },
    err: (text) => {
      output.err += text
    },
  })
  return { code, ...output }
}

describe('remedium report', () => {
  it('writes the report into the run folder, and prints its path', async () => {
    const page = join(folder, 'report.html')
    expect(await runReport(folder)).toEqual({ code: 0, out: `${page}\n`, err: '' })
    expect(readFileSync(page, 'utf8')).toContain('<b>1 of 1</b> episodes resolved')
  })

  it('writes the report to another file, and prints its figures as JSON', async () => {
    const page = join(folder, 'other.html')
    const { code, out } = await runReport(folder, '--out', page, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      page,
      runs: [{ run: 'r', contenders: [{ name: 'expert', resolved: 1 }] }],
    })
    expect(readFileSync(page, 'utf8')).toContain('</html>')
  })

  it('compares runs next to the first of them, and distinguishes folders with the same name', async () => {
    const folders = ['monday', 'tuesday'].map((day) => join(folder, day, 'easy'))
    for (const runFolder of folders) {
      mkdirSync(runFolder, { recursive: true })
      writeFileSync(join(runFolder, 'manifest.json'), JSON.stringify(MANIFEST))
    }
    const page = join(folder, 'monday', 'report.html')
    expect(await runReport(...folders)).toEqual({ code: 0, out: `${page}\n`, err: '' })
    for (const name of ['expert (monday/easy)', 'expert (tuesday/easy)'])
      expect(readFileSync(page, 'utf8')).toContain(name)
  })

  it('reports errors in one sentence', async () => {
    const missingFolder = join(folder, 'none')
    const unwritableFile = join(missingFolder, 'x.html')
    expect(await runReport()).toMatchObject({
      code: 2,
      err: 'remedium: Name one or several run folders.\n',
    })
    expect(await runReport(missingFolder)).toMatchObject({
      code: 2,
      err: `remedium: There is no run in ${missingFolder}.\n`,
    })
    expect(await runReport(folder, folder)).toMatchObject({
      code: 2,
      err: `remedium: The run ${folder} is given twice.\n`,
    })
    expect(await runReport(folder, '--out', unwritableFile)).toMatchObject({
      code: 2,
      err: `remedium: The report cannot be written to ${unwritableFile}. Name another file with --out.\n`,
    })
    writeFileSync(join(folder, 'results.jsonl'), '{}\n')
    expect((await runReport(folder)).err).toMatch(/^remedium: .*results\.jsonl, line 1: episode: .*\n$/)
  })
})
