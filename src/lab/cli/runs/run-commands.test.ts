/** Tests of `remedium run`, `agents`, `models` and `export` without a cluster. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand as run } from '../testing/run-command.ts'

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

  it('plans the suite easy on simple-micro with the agent expert by default', async () => {
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

  it('plans every combination of agents, models and epochs, and accepts a model for one role', async () => {
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
      maxTokens: 500,
      maxCostUsd: 0.5,
      price: '0.25,2',
      recordTo: join(home, 'said.jsonl'),
      agentOptions: { 'think-remed': { trials: '5' } },
    })
    expect(manifest.command).toContain('remedium run easy --system simple-micro --agent null')
  })

  it('stores sampling settings in the manifest', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'k')
    const options = ['--temperature', '0', '--top-p', '0.9', '--model-seed', '7', '--reasoning', 'low']
    const { manifest } = await plan('--model', 'openai:a', '--limit', '1', ...options)
    expect(manifest.settings.sampling).toEqual({ temperature: 0, topP: 0.9, seed: 7, reasoning: 'low' })
    expect(manifest.command).toContain(options.join(' '))
  })

  it.each([
    [['--temperature', '2.1'], '--temperature must be 0 to 2, but "2.1" was given.'],
    [['--top-p', '1.5'], '--top-p must be 0 to 1, but "1.5" was given.'],
    [['--model-seed', '0.5'], '--model-seed must be an integer, but "0.5" was given.'],
    [['--reasoning', 'much'], '--reasoning must be none, minimal, low, medium, high, xhigh or max,'],
    [['--reasoning', 'low', '--agent', 'expert'], 'require an agent with a model.'],
    [['--resume', 'x', '--top-p', '0.5'], '"--top-p" cannot be given'],
  ])('rejects the sampling settings %j', async (args, sentence) => {
    const { code, err } = await run('run', '--dry-run', ...args)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
  })

  it('uses the agent react if only a model is given', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'k')
    const { manifest } = await plan('--model', 'openai:a', '--limit', '1')
    expect(manifest.contenders).toEqual([
      { name: 'react openai:a', agent: 'react', models: { solver: 'openai:a' } },
    ])
  })

  it('stores model settings from the environment in the manifest', async () => {
    vi.stubEnv('REMEDIUM_BASE_URL', 'http://127.0.0.1:9/v1')
    vi.stubEnv('REMEDIUM_PRICE', '1,2')
    vi.stubEnv('REMEDIUM_RECORD', join(home, 'said.jsonl'))
    const settings = { price: '1,2', recordTo: join(home, 'said.jsonl') }
    const options = ['--model', 'compatible:x', '--limit', '1']
    expect((await plan(...options)).manifest.settings).toEqual({
      ...settings,
      addresses: { compatible: 'http://127.0.0.1:9/v1' },
    })
    const given = await plan(...options, '--base-url', 'http://127.0.0.1:7/v1', '--price', '3,4')
    expect(given.manifest.settings).toEqual({
      ...settings,
      price: '3,4',
      baseUrl: 'http://127.0.0.1:7/v1',
    })
    expect((await plan('--limit', '1')).manifest.settings).toEqual({})
    expect(readdirSync(home)).toEqual([])
  })

  it('accepts the program of an external agent with --set', async () => {
    const set = ['--set', 'external.program=cat', '--set', 'external.args=["a b"]']
    const { manifest } = await plan('--agent', 'external', ...set, '--limit', '1')
    expect(manifest.settings.agentOptions).toEqual({ external: { program: 'cat', args: '["a b"]' } })
  })

  it('stores in the manifest whether the agent receives the verdict', async () => {
    const options = ['--agent', 'external', '--external', 'cat', '--limit', '1']
    expect((await plan(...options, '--report-verdict')).manifest.settings.reportsVerdict).toBe(true)
    expect((await plan(...options)).manifest.settings).not.toHaveProperty('reportsVerdict')
  })

  it('stores the working directory of an external agent', async () => {
    const options = ['--agent', 'external', '--external', 'cat', '--limit', '1']
    const { manifest } = await plan(...options)
    expect(manifest.settings).toEqual({ external: 'cat', externalFolder: process.cwd() })
    const given = await plan(...options, '--set', 'external.folder=src')
    expect(given.manifest.settings.externalFolder).toBe(join(process.cwd(), 'src'))
  })

  it('filters by fault, task and category; another budget results in another ID', async () => {
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
    [['--workers', '0'], '--workers must be 1 to 256, but "0" was given.'],
    [['--engine', 'cloud'], '--engine must be local or sim, but "cloud" was given.'],
    [
      ['--engine', 'sim', '--keep-telemetry'],
      '--keep-telemetry cannot be combined with --engine sim: a simulated cluster keeps its telemetry in memory.',
    ],
    [['--rollback', 'always'], '--rollback must be never, on-failure or on-harm, but "always" was given.'],
    [['--tools', 'magic'], '--tools must be auto, native or text, but "magic" was given.'],
    [['--cost', 'much'], '--cost must be 0 or more, but "much" was given.'],
    [['--price', '1;2'], '"1;2" is not a valid price.'],
    [
      ['--cost', '1', '--model', 'vllm:x'],
      '--cost cannot limit the model vllm:x, because its price is unknown.',
    ],
    [['--record', '/dev/null', '--limit', '1', '--out', '/proc/run'], '/dev/null is not a regular file.'],
    [
      ['--record', '/proc/no/said.jsonl', '--limit', '1'],
      'The folder /proc/no cannot be created or written to.',
    ],
    [['--min-resolved', '101'], '--min-resolved must be 0 to 100, but "101" was given.'],
    [['--agent', 'exprt'], 'There is no agent "exprt". Did you mean "expert"?'],
    [['--agent', 'react'], 'The agent "react" needs a model.'],
    [['--agent', 'null', '--model', 'openai:x'], 'The agent "null" uses no model, but --model names one.'],
    [['--agent', 'react', '--model', 'judge=openai:x'], 'No agent of this run has a role "judge".'],
    [
      ['--agent', 'react', '--model', 'solver=vllm:x', '--model', 'vllm:y'],
      'The model "vllm:y" is not used: --model names another model for every role.',
    ],
    [['--model', 'openai:x'], 'The provider openai requires a key.'],
    [['--model', 'gpt'], '"gpt" is not the name of a model.'],
    [['--model', 'compatible:x'], 'The provider compatible requires an address.'],
    [['--agent', 'external', '--external', ''], '--external must name a program.'],
    [['--agent', 'external', '--external', '   ', '--dry-run'], '--external must name a program.'],
    [['--out', '/proc/x', '--limit', '1'], 'The folder /proc/x cannot be created or written to.'],
    [['--external', 'cat'], '--external requires --agent external.'],
    [['--agent', 'external'], 'The agent external requires a program.'],
    [
      ['--agent', 'external', '--external', 'cat', '--set', 'external.program=cat'],
      '--external and --set both name the program of the agent "external": give only one.',
    ],
    [
      ['--model', 'vllm:x', '--model', 'ollama:x', '--base-url', 'http://127.0.0.1:9/v1'],
      '--base-url is the address of one provider, but the models have several: vllm, ollama.',
    ],
    [['--set', 'trials=5'], '--set must be AGENT.NAME=VALUE, but "trials=5" was given.'],
    [['--set', 'react.rounds=5'], '--set names the agent "react", which does not take part in this run.'],
    [['--deny', 'exec_shel'], 'There is no action "exec_shel". Did you mean "exec_shell"?'],
    [['--approve'], '--approve requires a terminal for approvals.'],
    [['--task', 'repair'], 'There is no task "repair".'],
    [['--category', 'cpu'], 'There is no category "cpu".'],
    [['easy', '--fault', 'port-wrong'], 'No problem matches --system, --fault, --task and --category.'],
    [
      ['simple-micro.cpu-stress.time-service.remediation.34d55fe9', '--system', 'online-boutique'],
      'No problem matches --system, --fault, --task and --category.',
    ],
    [['easie'], 'There is no suite, problem or file "easie". Did you mean "easy"?'],
    [['--resume', '/nowhere'], 'There is no run in /nowhere.'],
    [['--resume', '/nowhere', '--epochs', '2'], 'so "--epochs" cannot be given.'],
    [['easy', '--resume', '/nowhere'], 'so "easy" cannot be given.'],
  ])('rejects %j in one sentence', async (args, sentence) => {
    const { code, out, err } = await run('run', ...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(sentence)
    expect(err.trim().split('\n')).toHaveLength(1)
  })
})

/** The result of a finished episode, without the episode's name. */
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
    journeyRunsFailed: 0,
    journeyRuns: 10,
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

describe('an existing run', () => {
  const writeRun = (settings: object, more: object = {}): string => {
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

  it('keeps its finished episodes when a run is planned in its folder', async () => {
    const folder = join(home, 'run')
    const command = ['run', '--dry-run', '--out', folder]
    const { out } = await run(...command, '--json')
    const { manifest, episodes } = JSON.parse(out)
    mkdirSync(folder)
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
    const results = episodes
      .slice(0, 20)
      .map(({ episode }: { episode: string }) => ({ ...RESOLVED, episode }))
    writeFileSync(
      join(folder, 'results.jsonl'),
      results.map((result: object) => `${JSON.stringify(result)}\n`).join(''),
    )
    const text = (await run(...command)).out
    expect(text).toContain('\n3 of 23 episodes would be played.\n\ntime    about ')
    expect(text).toContain('; 3 episodes, from bench/results/episode.json (reference repairs on 2 cores, ')
    expect(text).toMatch(/\ntokens {2}none\ncost {4}none\n$/)
    expect((await run(...command, '--epochs', '2')).err).toContain(
      'has a different plan: other number of epochs.',
    )
  })

  it('is not resumed without a terminal if it needs approvals', async () => {
    const { code, err } = await run('run', '--any-commit', '--resume', writeRun({ isApproved: true }))
    expect(code).toBe(2)
    expect(err).toContain('The run in this folder requires a terminal for approvals.')
  })

  it('is not resumed if the folder of its external agent is missing', async () => {
    const folder = writeRun(
      { external: 'cat', externalFolder: join(home, 'gone') },
      { contenders: [{ name: 'external', agent: 'external', models: {} }], problems: [PROBLEM] },
    )
    const { code, err } = await run('run', '--any-commit', '--resume', folder)
    expect(code).toBe(2)
    expect(err).toContain(`The folder of the external agent does not exist: ${join(home, 'gone')}.`)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(readdirSync(folder)).toEqual(['manifest.json'])
  })

  it.each([
    [{}, {}, 'The provider compatible requires an address.'],
    [{ baseUrl: 'http://127.0.0.1:9/v1', recordTo: '/dev/null' }, {}, '/dev/null is not a regular file.'],
    [
      { addresses: { compatible: 'http://127.0.0.1:9/v1' } },
      { REMEDIUM_RECORD: '/proc/no/x' },
      'The folder /proc/no',
    ],
  ])('is not resumed if models with %j, %j cannot be opened or recorded', async (settings, env, sentence) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const folder = writeRun(settings, {
      contenders: [{ name: 'react x', agent: 'react', models: { solver: 'compatible:x' } }],
      problems: [PROBLEM],
    })
    const { code, err } = await run('run', '--any-commit', '--resume', folder)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
    expect(readdirSync(folder)).toEqual(['manifest.json'])
  })

  it.each([
    ['/proc/x/', 'The folder /proc/x/ cannot be created or written to.'],
    ['/nowhere/x', 'Trajectories cannot be written to /nowhere/x.'],
  ])('is not exported to %s', async (out, sentence) => {
    const { code, err } = await run('export', writeRun({}), '--out', out)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
    expect(err.trim().split('\n')).toHaveLength(1)
  })
})

describe('remedium agents, models and export', () => {
  it('list agents and providers of models', async () => {
    const { agents } = JSON.parse((await run('agents', '--json')).out)
    expect(agents.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['expert', 'external', 'null', 'react', 'reference', 'solo-gen', 'think-remed']),
    )
    expect((await run('models')).out).toMatch(/^openai +openai:\S+ +OPENAI_API_KEY \(not set\)/m)
  })

  it.each([
    [[], 'Name a run folder.'],
    [['x', '--format', 'csv'], '--format must be atif, messages or sharegpt, but "csv" was given.'],
    [['x', '--verdict', 'void'], '--verdict must be resolved, unresolved or all, but "void" was given.'],
    [['/nowhere'], 'There is no run in /nowhere.'],
  ])('rejects the export of %j', async (args, sentence) => {
    const { code, err } = await run('export', ...args)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
  })
})
