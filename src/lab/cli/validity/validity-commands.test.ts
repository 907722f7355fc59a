/** Tests of `remedium problems`, `validate` and `score` without a cluster. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { EPISODE_SCHEMA, NO_METRICS } from '#spec'
import { runCommand as run } from '../testing/run-command.ts'

describe('remedium problems', () => {
  it('lists the suites, and the problems of one', async () => {
    expect((await run('problems')).out).toMatch(/^easy +\S/m)
    const { problems } = JSON.parse((await run('problems', 'easy', '--system', 'simple-micro', '--json')).out)
    expect(problems).toHaveLength(23)
    const { out } = await run('problems', problems[0].id)
    expect(out).toContain(`${problems[0].id}: remediation on simple-micro`)
  })

  it('draws other problems from another seed', async () => {
    const listIds = async (...args: string[]) =>
      JSON.parse(
        (await run('problems', 'easy', '--system', 'simple-micro', '--json', ...args)).out,
      ).problems.map(({ id }: { id: string }) => id)
    expect(await listIds('--seed', '7')).toEqual(await listIds('--seed', '7'))
    expect(await listIds('--seed', '7')).not.toEqual(await listIds('--seed', '8'))
  })
})

describe('remedium validate', () => {
  it.each([
    [[], 'Name one suite, one problem or one file with problems, or give --fault.'],
    [['smoke', '--fault', 'cpu-stress'], 'or give --fault.'],
    [['smoke', '--workers', '0'], '--workers must be 1 to 256, but "0" was given.'],
    [['smoke', '--hacks', 'half'], '--hacks must be all, quarter or none, but "half" was given.'],
    [['smoke', '--min-valid', 'most'], '--min-valid must be 0 to 100, but "most" was given.'],
    [['smoke', '--system', 'simple-mikro'], 'Did you mean "simple-micro"?'],
    [['--fault', 'cpu-stres'], 'Did you mean "cpu-stress"?'],
    [['smoke', '--only', 'refrence', '--system', 'simple-micro'], 'There is no attempt "refrence"'],
    [['smoke', '--only', 'refrence'], 'Did you mean "reference"? The attempts are: do-nothing, '],
    [['smoke', '--only', 'hacks', '--hacks', 'none'], 'No attempts are selected for any of the '],
    [['smoke', '--out', '/nowhere/x.md'], 'The result cannot be written to /nowhere/x.md: '],
    [['smoke', '--out', '/tmp'], 'The result cannot be written to /tmp: it is a folder.'],
    [['smoke', '--records', '/proc/x'], 'The folder /proc/x cannot be created or written to.'],
    [['smoke', '--ledger', '/nowhere/x'], 'The ledger cannot be written to /nowhere/x: '],
    [
      ['--fault', 'traffic-surge', '--system', 'train-ticket'],
      'No service of train-ticket is a target of traffic-surge. The fault ',
    ],
    [['smoky'], 'There is no suite, problem or file "smoky". Did you mean "smoke"?'],
  ])('rejects %j in one sentence', async (args, sentence) => {
    const { code, out, err } = await run('validate', ...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(sentence)
  })

  it('reports missing programs before it creates a ledger or a folder', async () => {
    const home = mkdtempSync(join(tmpdir(), 'validate-'))
    // A PATH without any program.
    vi.stubEnv('PATH', home)
    vi.stubEnv('REMEDIUM_INSTALL', 'no')
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(home, { recursive: true })
    })
    const outputs = ['--ledger', join(home, 'ledger'), '--records', join(home, 'records')]
    const { code, out, err } = await run('validate', 'smoke', '--system', 'simple-micro', ...outputs)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^remedium: Real containers need .*\n$/)
    expect(readdirSync(home)).toEqual([])
  })
})

describe('a file of problems', () => {
  it('is rejected if a system, fault or service does not exist', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'problems-'))
    try {
      const { out } = await run('problems', 'easy', '--system', 'simple-micro', '--json')
      const [problem] = JSON.parse(out).problems
      const [fault] = problem.faults
      const problems = [
        { ...problem, system: 'nope' },
        { ...problem, faults: [{ ...fault, fault: 'nope' }] },
        { ...problem, faults: [{ ...fault, target: { service: 'nope' } }] },
      ]
      const file = join(folder, 'mine.json')
      writeFileSync(file, JSON.stringify({ problems }))
      for (const command of ['problems', 'validate', 'run']) {
        const { code, err } = await run(command, file)
        expect(code, command).toBe(2)
        expect(err).toContain('problems[0].system is wrong: there is no system "nope"')
        expect(err).toContain('problems[1].faults[0].fault is wrong: there is no fault "nope"')
        expect(err).toContain('problems[2].faults[0].target is not a target of the fault')
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('remedium score', () => {
  it('lists void records with their reasons', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'score-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { out } = await run('problems', 'easy', '--system', 'simple-micro', '--json')
    const problem = JSON.parse(out).problems[0]
    const failure = { code: 'cluster-lost', message: 'the cluster ended', blame: 'environment' }
    const verdict = {
      task: problem.task,
      outcome: 'void',
      code: failure.code,
      blame: failure.blame,
      reason: failure.message,
      judgements: [],
      damage: [],
      metrics: NO_METRICS,
    }
    const events = [
      {
        type: 'episode-started',
        schema: EPISODE_SCHEMA,
        time: 0,
        solver: 'expert',
        engine: 'local',
        load: {},
        problem,
      },
      { type: 'harness-failed', ...failure },
      { type: 'verdict-given', verdict },
    ]
    const file = join(folder, 'e.1.1.void-1.jsonl')
    writeFileSync(file, events.map((event, at) => `${JSON.stringify({ at, ...event })}\n`).join(''))
    expect(await run('score', folder)).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        `Void records, which do not count:\n  ${file}: environment: the cluster ended\n`,
      ),
    })
    const { void: voids, solvers } = JSON.parse((await run('score', file, '--json')).out)
    expect(voids).toEqual([{ file, blame: 'environment', reason: 'the cluster ended' }])
    expect(solvers).toMatchObject([{ solver: 'expert', episodes: 0, voided: 1 }])
  })

  it('reports records without a verdict and bad records, and exits with 1', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'score-'))
    try {
      const chosen = await run('problems', 'easy', '--system', 'simple-micro', '--json')
      const startEvent = {
        at: 0,
        type: 'episode-started',
        schema: EPISODE_SCHEMA,
        time: 0,
        solver: 'expert',
        engine: 'local',
        load: {},
        problem: JSON.parse(chosen.out).problems[0],
      }
      writeFileSync(join(folder, 'a.jsonl'), `${JSON.stringify(startEvent)}\n`)
      expect(await run('score', folder)).toMatchObject({
        code: 1,
        out: expect.stringContaining(`Without a verdict: ${join(folder, 'a.jsonl')}.`),
      })
      writeFileSync(join(folder, 'b.jsonl'), 'null\n')
      const { code, out, err } = await run('score', folder, '--json')
      expect({ code, err }).toEqual({ code: 1, err: '' })
      expect(JSON.parse(out)).toMatchObject({
        unjudged: [join(folder, 'a.jsonl')],
        bad: [{ file: join(folder, 'b.jsonl'), message: expect.stringContaining('b.jsonl, line 1') }],
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('reports the line of a file that is not a record', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'score-'))
    try {
      expect((await run('score', folder)).err).toContain('There are no records (*.jsonl)')
      expect((await run('score', join(folder, 'none'))).err).toContain('There is no file or folder')
      const file = join(folder, 'x.jsonl')
      writeFileSync(file, '{"at":0,"type":"solver-started"}\n')
      const { code, err } = await run('score', file)
      expect(code).toBe(2)
      expect(err).toContain('x.jsonl, line 1: the first event must be episode-started')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
