/** Tests of `remedium run`, `agents`, `models` and `export` as far as no cluster is needed. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runHere as run } from '../testing/run-here.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'run-commands-'))
  vi.stubEnv('OPENAI_API_KEY', '')
  vi.stubEnv('REMEDIUM_BASE_URL', '')
  vi.stubEnv('REMEDIUM_RECORD', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

describe('remedium run --dry-run', () => {
  const plan = async (...args: string[]) => {
    const { code, out, err } = await run('run', '--dry-run', '--json', ...args)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return JSON.parse(out)
  }

  it('is easy on simple-micro by the expert where nothing is said', async () => {
    const { planned, manifest } = await plan()
    expect(planned).toBe(23)
    expect(manifest).toMatchObject({
      suites: ['easy'],
      contenders: [{ name: 'expert', agent: 'expert', models: {} }],
      epochs: 1,
      rollback: 'never',
      settings: {},
    })
    expect(new Set(manifest.problems.map(({ system }: { system: string }) => system))).toEqual(
      new Set(['simple-micro']),
    )
  })

  it('takes agents times models times epochs, and one model for one part', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'k')
    const { planned, manifest } = await plan(
      ...['easy', '--system', 'simple-micro', '--limit', '2', '--epochs', '3', '--agent', 'null'],
      ...[
        '--agent',
        'think-remed',
        '--model',
        'openai:a',
        '--model',
        'openai:b',
        '--model',
        'probe=openai:c',
      ],
      ...['--tokens', '500', '--cost', '0.5', '--rollback', 'on-failure', '--set', 'think-remed.trials=5'],
      ...['--price', '0.25,2', '--record', join(home, 'said.jsonl')],
    )
    expect(planned).toBe(2 * 3 * 3)
    expect(manifest.contenders.map(({ agent }: { agent: string }) => agent)).toEqual([
      'null',
      'think-remed',
      'think-remed',
    ])
    expect(manifest.contenders[2].models).toMatchObject({ coordinator: 'openai:b', probe: 'openai:c' })
    expect(manifest.settings).toEqual({
      mostTokens: 500,
      mostCostUsd: 0.5,
      price: '0.25,2',
      recordTo: join(home, 'said.jsonl'),
      agentOptions: { 'think-remed': { trials: '5' } },
    })
    expect(manifest.command).toContain('remedium run easy --system simple-micro --agent null')
  })

  it('lets react try where only a model is named', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'k')
    const { manifest } = await plan('--model', 'openai:a', '--limit', '1')
    expect(manifest.contenders).toEqual([
      { name: 'react openai:a', agent: 'react', models: { solver: 'openai:a' } },
    ])
  })

  it('keeps what the environment says of models with the run', async () => {
    vi.stubEnv('REMEDIUM_BASE_URL', 'http://127.0.0.1:9/v1')
    vi.stubEnv('REMEDIUM_PRICE', '1,2')
    vi.stubEnv('REMEDIUM_RECORD', join(home, 'said.jsonl'))
    const settings = { price: '1,2', recordTo: join(home, 'said.jsonl') }
    const asking = ['--model', 'compatible:x', '--limit', '1']
    expect((await plan(...asking)).manifest.settings).toEqual({
      ...settings,
      addresses: { compatible: 'http://127.0.0.1:9/v1' },
    })
    const told = await plan(...asking, '--base-url', 'http://127.0.0.1:7/v1', '--price', '3,4')
    expect(told.manifest.settings).toEqual({
      ...settings,
      price: '3,4',
      baseUrl: 'http://127.0.0.1:7/v1',
    })
    expect((await plan('--limit', '1')).manifest.settings).toEqual({})
    expect(readdirSync(home)).toEqual([])
  })

  it('takes the program of an external agent by --set as well', async () => {
    const set = ['--set', 'external.program=cat', '--set', 'external.args=["a b"]']
    const { manifest } = await plan('--agent', 'external', ...set, '--limit', '1')
    expect(manifest.settings.agentOptions).toEqual({ external: { program: 'cat', args: '["a b"]' } })
  })

  it('keeps where an external agent is started', async () => {
    const wish = ['--agent', 'external', '--external', 'cat', '--limit', '1']
    const { manifest } = await plan(...wish)
    expect(manifest.settings).toEqual({ external: 'cat', externalFolder: process.cwd() })
    const told = await plan(...wish, '--set', 'external.folder=src')
    expect(told.manifest.settings.externalFolder).toBe(join(process.cwd(), 'src'))
  })

  it('filters by fault, task and category, and gives another budget another id', async () => {
    const { manifest } = await plan(
      'smoke',
      '--category',
      'disk-io',
      '--task',
      'remediation',
      '--system',
      'simple-micro',
    )
    expect(manifest.problems.length).toBeGreaterThan(0)
    const ids = manifest.problems.map(({ id }: { id: string }) => id)
    const shorter = await plan(
      'smoke',
      '--category',
      'disk-io',
      '--system',
      'simple-micro',
      '--seconds',
      '60',
    )
    expect(shorter.manifest.problems[0]).toMatchObject({ budget: { seconds: 60 } })
    expect(ids).not.toContain(shorter.manifest.problems[0].id)
    const drawn = await plan('--fault', 'port-wrong', '--system', 'online-boutique')
    expect(drawn.planned).toBe(1)
  })

  it('writes nothing', async () => {
    await plan('--out', join(home, 'run'), '--limit', '1')
    expect(existsSync(join(home, 'run'))).toBe(false)
  })
})

describe('remedium run', () => {
  it.each([
    [['--workers', '0'], '--workers must be 1 or more, but "0" was given.'],
    [['--engine', 'cloud'], '--engine must be local, but "cloud" was given.'],
    [['--rollback', 'always'], '--rollback must be never, on-failure or on-harm, but "always" was given.'],
    [['--tools', 'magic'], '--tools must be auto, native or text, but "magic" was given.'],
    [['--cost', 'much'], '--cost must be 0 or more, but "much" was given.'],
    [['--price', '1;2'], '"1;2" is no price.'],
    [['--cost', '1', '--model', 'vllm:x'], '--cost bounds nothing where nobody knows what vllm:x costs.'],
    [['--record', '/dev/null', '--limit', '1', '--out', '/proc/run'], '/dev/null is no plain file.'],
    [
      ['--record', '/proc/no/said.jsonl', '--limit', '1'],
      'The folder /proc/no cannot be made or written to.',
    ],
    [['--least', '101'], '--least must be 0 to 100, but "101" was given.'],
    [['--agent', 'exprt'], 'There is no agent "exprt". Did you mean "expert"?'],
    [['--agent', 'react'], 'The agent "react" needs a model.'],
    [['--agent', 'null', '--model', 'openai:x'], 'The agent "null" asks no model, and --model names one.'],
    [['--agent', 'react', '--model', 'judge=openai:x'], 'No agent here has a part "judge".'],
    [
      ['--agent', 'react', '--model', 'solver=vllm:x', '--model', 'vllm:y'],
      'Every part that asks a model has one of its own, and "vllm:y" is left over.',
    ],
    [['--model', 'openai:x'], 'The provider openai needs a key, and there is none.'],
    [['--model', 'gpt'], '"gpt" does not name a model.'],
    [['--model', 'compatible:x'], 'Nobody says where the provider compatible is.'],
    [['--agent', 'external', '--external', ''], '--external names no program.'],
    [['--agent', 'external', '--external', '   ', '--dry-run'], '--external names no program.'],
    [['--out', '/proc/x', '--limit', '1'], 'The folder /proc/x cannot be made or written to.'],
    [['--external', 'cat'], 'Only the agent "external" is a program: --agent external.'],
    [['--agent', 'external'], 'The agent external has to be told which program it is.'],
    [
      ['--agent', 'external', '--external', 'cat', '--set', 'external.program=cat'],
      'is named by --external and by --set: one of them will do.',
    ],
    [
      ['--model', 'vllm:x', '--model', 'ollama:x', '--base-url', 'http://127.0.0.1:9/v1'],
      '--base-url says where one provider is, and the models are of vllm, ollama.',
    ],
    [['--set', 'trials=5'], '--set must be AGENT.NAME=VALUE, but "trials=5" was given.'],
    [['--set', 'react.rounds=5'], '--set is about the agent "react", which is not in this run.'],
    [['--deny', 'exec_shel'], 'There is no action "exec_shel". Did you mean "exec_shell"?'],
    [['--approve'], '--approve asks a person, and there is no terminal.'],
    [['--task', 'mending'], 'There is no task "mending".'],
    [['--category', 'cpu'], 'There is no category "cpu".'],
    [['easy', '--fault', 'port-wrong'], 'No problem is left by --system, --fault, --task and --category.'],
    [
      ['simple-micro.cpu-stress.time-service.remediation.34d55fe9', '--system', 'online-boutique'],
      'No problem is left by --system, --fault, --task and --category.',
    ],
    [['easie'], 'There is no suite, problem or file "easie". Did you mean "easy"?'],
    [['--resume', '/nowhere'], 'There is no run in /nowhere.'],
    [['--resume', '/nowhere', '--epochs', '2'], 'and "--epochs" says something else.'],
    [['easy', '--resume', '/nowhere'], 'and "easy" says something else.'],
  ])('refuses %j in one sentence', async (args, sentence) => {
    const { code, out, err } = await run('run', ...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(sentence)
    expect(err.trim().split('\n')).toHaveLength(1)
  })
})

/** What a run keeps of an episode that has ended, but for which one it is. */
const RESOLVED = {
  problem: 'p',
  system: 'simple-micro',
  task: 'remediation',
  faults: ['cpu-stress'],
  suite: 'easy',
  categories: ['cpu-stress'],
  contender: 'expert',
  epoch: 1,
  outcome: 'resolved',
  reason: 'well',
  judged: {},
  stages: {},
  tries: 1,
  ended: 0,
  metrics: {
    steps: 2,
    tokens: { input: 0, output: 0 },
    costUsd: 0,
    collateralDamage: 0,
    walksLost: 0,
    walks: 10,
  },
}

const PROBLEM = {
  id: 'p',
  system: 'simple-micro',
  task: 'mitigation',
  report: 'none',
  seed: 's',
  faults: [],
  budget: { steps: 1, seconds: 1 },
}

describe('a run that is there', () => {
  const begin = (settings: object, more: object = {}): string => {
    const folder = join(home, 'run')
    const manifest = {
      schema: 1,
      id: 'r',
      created: 0,
      command: 'remedium run',
      commit: 'c',
      version: '1',
      engine: 'local',
      seed: 's',
      suites: ['easy'],
      epochs: 1,
      rollback: 'never',
      suiteOf: {},
      settings,
      problems: [],
      contenders: [{ name: 'expert', agent: 'expert', models: {} }],
      ...more,
    }
    mkdirSync(folder)
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
    return folder
  }

  it('is taken up by a plan for its folder', async () => {
    const folder = join(home, 'run')
    const wish = ['run', '--dry-run', '--out', folder]
    const { out } = await run(...wish, '--json')
    const { manifest, episodes } = JSON.parse(out)
    mkdirSync(folder)
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
    const results = episodes
      .slice(0, 20)
      .map(({ episode }: { episode: string }) => ({ ...RESOLVED, episode }))
    writeFileSync(
      join(folder, 'results.jsonl'),
      results.map((one: object) => `${JSON.stringify(one)}\n`).join(''),
    )
    expect((await run(...wish)).out).toContain('\n3 of 23 episodes would be played.')
    expect((await run(...wish, '--epochs', '2')).err).toContain('is one of other number of epochs.')
  })

  it('is not gone on with where somebody must be asked, and there is no terminal', async () => {
    const { code, err } = await run('run', '--any-commit', '--resume', begin({ isApproved: true }))
    expect(code).toBe(2)
    expect(err).toContain('The run in this folder asks a person, and there is no terminal.')
  })

  it('is not gone on with where the folder of its external agent is gone', async () => {
    const folder = begin(
      { external: 'cat', externalFolder: join(home, 'gone') },
      { contenders: [{ name: 'external', agent: 'external', models: {} }], problems: [PROBLEM] },
    )
    const { code, err } = await run('run', '--any-commit', '--resume', folder)
    expect(code).toBe(2)
    expect(err).toContain(`The external agent is started in ${join(home, 'gone')}, which is not there.`)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(readdirSync(folder)).toEqual(['manifest.json'])
  })

  it.each([
    [{}, {}, 'Nobody says where the provider compatible is.'],
    [{ baseUrl: 'http://127.0.0.1:9/v1', recordTo: '/dev/null' }, {}, '/dev/null is no plain file.'],
    [
      { addresses: { compatible: 'http://127.0.0.1:9/v1' } },
      { REMEDIUM_RECORD: '/proc/no/x' },
      'The folder /proc/no',
    ],
  ])(
    'is not gone on with where models of %j, %j cannot be had or recorded',
    async (settings, env, sentence) => {
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
      const folder = begin(settings, {
        contenders: [{ name: 'react x', agent: 'react', models: { solver: 'compatible:x' } }],
        problems: [PROBLEM],
      })
      const { code, err } = await run('run', '--any-commit', '--resume', folder)
      expect(code).toBe(2)
      expect(err).toContain(sentence)
      expect(readdirSync(folder)).toEqual(['manifest.json'])
    },
  )

  it.each([
    ['/proc/x/', 'The folder /proc/x/ cannot be made or written to.'],
    ['/nowhere/x', 'Trajectories cannot be written to /nowhere/x.'],
  ])('is not exported to %s', async (out, sentence) => {
    const { code, err } = await run('export', begin({}), '--out', out)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
    expect(err.trim().split('\n')).toHaveLength(1)
  })
})

describe('remedium agents, models and export', () => {
  it('lists who can try, and where models are', async () => {
    const { agents } = JSON.parse((await run('agents', '--json')).out)
    expect(agents.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['expert', 'external', 'null', 'react', 'reference', 'solo-gen', 'think-remed']),
    )
    expect((await run('models')).out).toMatch(/^openai +openai:\S+ +OPENAI_API_KEY \(is not set\)/m)
  })

  it.each([
    [[], 'Name the folder of a run.'],
    [['x', '--format', 'csv'], '--format must be atif or sharegpt, but "csv" was given.'],
    [['x', '--verdict', 'void'], '--verdict must be resolved, unresolved or all, but "void" was given.'],
    [['/nowhere'], 'There is no run in /nowhere.'],
  ])('refuses to export %j', async (args, sentence) => {
    const { code, err } = await run('export', ...args)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
  })
})
