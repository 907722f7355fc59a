/** Tests of MicroRemed's commands without a cluster. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chooseExperiments } from '#lab/micro-remed'
import { runCommandLine } from '../run-command-line.ts'
import { RESULT } from '../testing/example-run.ts'
import { runCommand as run } from '../testing/run-command.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'micro-remed-commands-'))
  vi.stubEnv('OPENAI_API_KEY', '')
  vi.stubEnv('LLM_API_KEY', '')
  vi.stubEnv('REMEDIUM_BASE_URL', '')
  vi.stubEnv('REMEDIUM_RECORD', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

describe('remedium inject-and-remediate', () => {
  it.each([
    [['--env', 'simple-mikro'], 'Did you mean "simple-micro"?'],
    [['--namespace', 'shop'], 'The namespace of the system simple-micro is simple-micro, not "shop".'],
    [['--experiments', '0'], '--experiments must be 1 to 10000, but "0" was given.'],
    [
      ['--enable_strict_restart', 'maybe'],
      '--enable-strict-restart must be true or false, but "maybe" was given.',
    ],
    [['--experiment_path', '/nowhere.txt'], 'There is no list of experiments /nowhere.txt.'],
    [['--remediate_method', 'SoloGen'], 'The agent "solo-gen" needs a model.'],
    [['--remediate-method', 'SoloGen', '--model', 'gpt-4o'], 'The provider openai requires a key'],
    [['--remediate-method', 'Magic'], 'There is no agent "Magic".'],
    [['--top-p', '2'], '--top-p must be 0 to 1, but "2" was given.'],
    [['--remediate-method', 'null', '--model-seed', '1'], 'require an agent with a model.'],
  ])('rejects %j', async (args, sentence) => {
    const { code, err } = await run('inject-and-remediate', '--save_path', join(home, 'saved'), ...args)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
    expect(existsSync(join(home, 'saved'))).toBe(false)
  })

  it.each(['--save-path', '--out'])('rejects a bad %s before it creates a folder', async (option) => {
    const options = ['--remediate-method', 'null', '--experiments', '1', '--save-path', join(home, 'saved')]
    const { code, err } = await run(
      ...['inject-and-remediate', ...options, '--out', join(home, 'run'), option, '/proc/x'],
    )
    expect(code).toBe(2)
    expect(err).toContain('The folder /proc/x cannot be created or written to.')
    expect(readdirSync(home)).toEqual([])
  })

  it('reports the invalid line of a list', async () => {
    const file = join(home, 'list.txt')
    writeFileSync(file, 'cpu-stress\ncpu-stres\n')
    const { err } = await run('inject-and-remediate', '--experiment-path', file, '--remediate-method', 'null')
    expect(err).toContain('list.txt:2: "cpu-stres" is not a failure type; did you mean cpu-stress?')
  })

  it('accepts a list with any file extension', async () => {
    for (const name of ['hard', 'my.list']) {
      writeFileSync(join(home, name), 'cpu-stres\n')
      const { err } = await run(
        ...['inject-and-remediate', '--experiment-path', join(home, name), '--remediate-method', 'null'],
      )
      expect(err).toContain(`${name}:1: "cpu-stres" is not a failure type`)
    }
  })
})

interface PlannedRun {
  readonly manifest: { readonly problems: readonly { readonly id: string }[] }
  /** The suite of the only episode. */
  readonly suite: string
}

const planLevel = async (level: string): Promise<PlannedRun['manifest']> => {
  const options = [level, '--system', 'simple-micro', '--agent', 'null', '--limit', '1']
  return JSON.parse((await run('run', '--dry-run', '--json', ...options)).out).manifest
}

/** Writes a run whose only episode is void and will not be played again. */
const writeVoidRun = (folder: string, { manifest, suite }: PlannedRun): void => {
  const problem = manifest.problems[0]!.id
  const result = {
    ...RESULT,
    episode: `${problem}.1.1`,
    problem,
    system: 'simple-micro',
    suite,
    contender: 'null',
    outcome: 'void',
    code: 'no-user-impact',
    reason: 'no user impact',
  }
  mkdirSync(folder)
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'results.jsonl'), `${JSON.stringify(result)}\n`)
}

const writeVoidLevel = async (level: string): Promise<void> =>
  writeVoidRun(join(home, `run_null_${level}`), { manifest: await planLevel(level), suite: level })

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Removes the listeners that a command has added. */
const withoutListeners = async <T>(task: () => Promise<T>): Promise<T> => {
  const listenersBefore = SIGNALS.map((name) => process.listeners(name))
  try {
    return await task()
  } finally {
    for (const [index, name] of SIGNALS.entries())
      for (const listener of process.listeners(name))
        if (!listenersBefore[index]!.includes(listener)) process.off(name, listener)
  }
}

describe('a series with void episodes', () => {
  beforeEach(() => {
    vi.stubEnv('TMPDIR', home)
    vi.stubEnv('REMEDIUM_STATE', join(home, 'state'))
  })

  it('makes run-all exit with 3', async () => {
    await writeVoidLevel('easy')
    const options = ['--method', 'null', '--level', 'easy', '--limit', '1']
    const { code, out } = await withoutListeners(() => run('run-all', 'simple-micro', home, '-', ...options))
    expect(out).toContain('Success rate: n/a')
    expect(code).toBe(3)
  })

  it('makes inject-and-remediate exit with 3', async () => {
    const chosen = { system: 'simple-micro', count: 1, seed: 'fixed', file: undefined }
    const { problems } = await chooseExperiments(chosen)
    const folder = join(home, 'run')
    const manifest = { ...(await planLevel('easy')), problems, seed: 'fixed' }
    writeVoidRun(folder, { manifest, suite: 'custom' })
    const options = ['--remediate-method', 'null', '--experiments', '1', '--seed', 'fixed', '--out', folder]
    const { code, out, err } = await withoutListeners(() =>
      run('inject-and-remediate', ...options, '--save-path', join(home, 'saved')),
    )
    expect(err).not.toContain('remedium: ')
    expect(out).toContain(folder)
    expect(code).toBe(3)
  })
})

describe('remedium run-all', () => {
  it('requires a system, a folder and a model', async () => {
    expect((await run('run-all', 'simple-micro')).err).toContain('ENV LOG_DIR MODEL')
    expect((await run('run-all', 'simple-micro', home, 'gpt-4o', '--level', 'nightmare')).err).toContain(
      '--level must be easy, medium or hard, but "nightmare" was given.',
    )
  })

  it('rejects a system without targets for some types, and writes nothing', async () => {
    const logs = join(home, 'logs')
    const { code, err } = await run('run-all', 'social-network', logs, '-', '--method', 'null')
    expect(code).toBe(2)
    expect(err).toMatch(/^remedium: run-all .* social-network has none for memory-stress and disk-io\. .*\n$/)
    expect(existsSync(logs)).toBe(false)
  })

  it.each([
    ['Magic', 'There is no agent "Magic".'],
    ['SoloGen', 'The agent "solo-gen" needs a model.'],
  ])('rejects the method %s before the first series starts', async (method, sentence) => {
    const logs = join(home, 'logs')
    const { code, err } = await run(
      'run-all',
      'simple-micro',
      logs,
      '-',
      '--method',
      'null',
      '--method',
      method,
    )
    expect(code).toBe(2)
    expect(err).toContain(sentence)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(existsSync(logs)).toBe(false)
  })

  it('rejects the folder of another run before the first series starts', async () => {
    const { out } = await run('run', '--dry-run', '--json', '--any-commit', '--agent', 'null', '--limit', '2')
    const other = join(home, 'run_null_medium')
    mkdirSync(other)
    writeFileSync(join(other, 'manifest.json'), JSON.stringify(JSON.parse(out).manifest))
    const { code, err } = await run('run-all', 'simple-micro', home, '-', '--method', 'null')
    expect(code).toBe(2)
    expect(err).toContain(`The run in ${other} has a different plan: other problems.`)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(readdirSync(home)).toEqual(['run_null_medium'])
  })

  it('starts no further series after an interrupt between two series', async () => {
    vi.stubEnv('TMPDIR', home)
    vi.stubEnv('REMEDIUM_STATE', join(home, 'state'))
    for (const level of ['easy', 'medium']) await writeVoidLevel(level)
    const options = ['--method', 'null', '--level', 'easy', '--level', 'medium', '--limit', '1']
    let errors = ''
    const code = await withoutListeners(() =>
      runCommandLine(['run-all', 'simple-micro', home, '-', ...options], {
        out() {},
        err(text) {
          errors += text
          if (text.includes('null_medium on')) process.emit('SIGINT')
        },
      }),
    )
    expect(code).toBe(130)
    expect(errors).toContain('The command was interrupted. Run the same command to resume.')
    expect(readdirSync(home).filter((name) => name.endsWith('.log'))).toEqual(['null_easy.log'])
  })

  it.each([['--limit', '0'], ['--limit=-1'], ['--workers', '0']])('rejects %s %s', async (...args) => {
    const { code, err } = await run('run-all', 'simple-micro', join(home, 'logs'), '-', ...args)
    expect(code).toBe(2)
    expect(err).toMatch(/--(limit|workers) must be 1 to (10000|256), but "(0|-1)" was given\./)
    expect(existsSync(join(home, 'logs'))).toBe(false)
  })
})
