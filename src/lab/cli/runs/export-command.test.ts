/** Tests the files that `remedium export` writes for one and for several runs. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordPathOf } from '#lab/records'
import { EPISODE_SCHEMA } from '#spec'
import { runCommandLine } from '../run-command-line.ts'
import { MANIFEST, RESULT } from '../testing/example-run.ts'
import { toRunNames } from './to-run-names.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'remedium-export-'))
})
afterEach(() => rmSync(home, { recursive: true }))

/** Creates a run with one episode, in which the agent's thought is the name of the run. */
const makeRun = (name: string, ...modelCalls: readonly object[]): string => {
  const folder = join(home, name)
  mkdirSync(join(folder, 'records'), { recursive: true })
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(MANIFEST))
  writeFileSync(join(folder, 'results.jsonl'), `${JSON.stringify(RESULT)}\n`)
  const problem = {
    id: 'e',
    system: 'shop',
    task: 'remediation',
    faults: [],
    report: 'none',
    seed: 's',
    budget: { steps: 5, seconds: 60 },
  }
  const events = [
    {
      at: 0,
      type: 'episode-started',
      schema: EPISODE_SCHEMA,
      time: 0,
      problem,
      solver: 'expert',
      engine: 'local',
      load: {},
    },
    { at: 1, type: 'solver-started' },
    { at: 1, type: 'thought-noted', thought: name },
    ...modelCalls,
    { at: 2, type: 'solver-ended', outcome: 'submitted' },
  ]
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  writeFileSync(join(folder, 'records/e.1.1.jsonl'), text)
  return folder
}

const runExport = async (...args: string[]) => {
  const err: string[] = []
  const code = await runCommandLine(['export', ...args], { out: () => {}, err: (text) => err.push(text) })
  return { code, err: err.join('') }
}

const readAtif = (...path: string[]) => {
  const { session_id, steps } = JSON.parse(readFileSync(join(home, ...path), 'utf8'))
  return `${session_id}: ${steps.at(-1).message}`
}

describe('remedium export', () => {
  it('writes one file per episode', async () => {
    expect(await runExport(makeRun('one'), '--out', join(home, 'to/'))).toEqual({ code: 0, err: '' })
    expect(readAtif('to', 'e.1.1.json')).toBe('e.1.1: one')
  })

  it('shortens names that are too long for a file system', async () => {
    const folder = makeRun('one')
    const episode = `${'e'.repeat(300)}.1.1`
    renameSync(join(folder, 'records/e.1.1.jsonl'), recordPathOf(join(folder, 'records'), episode))
    writeFileSync(join(folder, 'results.jsonl'), `${JSON.stringify({ ...RESULT, episode })}\n`)
    expect(await runExport(folder, '--out', join(home, 'to/'))).toEqual({ code: 0, err: '' })
    const [file] = readdirSync(join(home, 'to'))
    expect(readAtif('to', file!)).toBe(`${episode}: one`)
  })

  it('separates episodes with the same name in several runs', async () => {
    const runs = [makeRun('one'), makeRun('two')]
    expect(await runExport(...runs, '--out', join(home, 'to/'))).toEqual({ code: 0, err: '' })
    expect(readdirSync(join(home, 'to')).sort()).toEqual(['one', 'two'])
    expect(readAtif('to', 'one', 'e.1.1.json')).toBe('one/e.1.1: one')
    expect(readAtif('to', 'two', 'e.1.1.json')).toBe('two/e.1.1: two')
    await runExport(...runs, '--format', 'sharegpt', '--out', join(home, 'lines.jsonl'))
    const lines = readFileSync(join(home, 'lines.jsonl'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(['one/e.1.1', 'two/e.1.1'])
  })

  it('separates the conversations of several roles of an agent', async () => {
    const usage = { input: 1, output: 1 }
    const answer = { text: 'well', toolCalls: [], usage, finish: 'stop', tries: 1, milliseconds: 1 }
    const modelCalls = ['coordinator', 'probe'].map((role) => ({
      at: 1,
      type: 'model-called',
      role,
      model: 'a:b',
      tools: [],
      answer,
      messages: [
        { role: 'system', content: `You are ${role}.` },
        { role: 'user', content: 'Well?' },
      ],
    }))
    const args = [makeRun('one', ...modelCalls), '--format', 'sharegpt', '--out', join(home, 'to/')]
    expect(await runExport(...args)).toEqual({ code: 0, err: '' })
    expect(readdirSync(join(home, 'to/e.1.1')).sort()).toEqual(['coordinator-1.json', 'probe-1.json'])
    expect(JSON.parse(readFileSync(join(home, 'to/e.1.1/probe-1.json'), 'utf8'))).toMatchObject({
      id: 'e.1.1/probe-1',
      metadata: { role: 'probe' },
      conversations: [{ value: 'You are probe.' }, { value: 'Well?' }, { value: 'well' }],
    })
  })

  it('writes messages and tools as columns that have the same type in every line', async () => {
    await runExport(makeRun('one'), '--format', 'messages', '--out', join(home, 'lines.jsonl'))
    const [row, ...more] = readFileSync(join(home, 'lines.jsonl'), 'utf8').trimEnd().split('\n')
    expect(more).toEqual([])
    const { id, messages, tools } = JSON.parse(row!)
    expect([id, tools]).toEqual(['e.1.1', '[]'])
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user', 'assistant'])
    expect(messages[1].content).toContain('(no report)')
  })

  it('rejects a run that is given twice before anything is written', async () => {
    const run = makeRun('one')
    const { code, err } = await runExport(run, `${run}/`, '--out', join(home, 'to/'))
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('one/ is given twice.') })
    expect(readdirSync(home)).toEqual(['one'])
  })
})

describe('names of runs', () => {
  it('are the shortest unique ends of their paths', () => {
    expect(toRunNames(['runs/a', '/elsewhere/b'])).toEqual(['a', 'b'])
    expect(toRunNames(['/x/logs/run', '/y/logs/run', '/y/logs/other'])).toEqual([
      ...['x/logs/run', 'y/logs/run', 'y/logs/other'],
    ])
    expect(toRunNames(['/run', '/y/run'])).toEqual(['run', 'y/run'])
  })
})
