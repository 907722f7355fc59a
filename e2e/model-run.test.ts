/** Tests `remedium run` with language models over real HTTP on a live system: verdicts, tokens, cost, records and exports. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSuite } from '#exam/problems'
import { createScriptedServer, type ScriptedServer } from '#examinee/models/testing'
import { CONTACT_REQUEST } from '#lab/launch'
import { recordPathOf } from '#lab/records'
import { readRun, runPaths } from '#lab/runs'
import type { EpisodeEvent, EpisodeResult } from '#spec'
import {
  BROKEN,
  type ContenderKey,
  createModelScript,
  LOOK_ONLY,
  PRICE,
  REPLACE,
  RESTART,
} from './testing/model-script.ts'
import { type CommandResult, makeRemediumHome, type RemediumHome } from './testing/remedium-home.ts'

const ROLES = ['coordinator', 'execution', 'verification'].map((role) => `${role}=compatible:good`)
const THINK_REMED =
  'think-remed coordinator=compatible:good probe=compatible:plain execution=compatible:good verification=compatible:good'
const NAMES: Readonly<Record<ContenderKey, string>> = {
  'solo-gen good': 'solo-gen compatible:good',
  'solo-gen bad': 'solo-gen compatible:bad',
  'think-remed': THINK_REMED,
  'react good': 'react compatible:good',
  'react bad': 'react compatible:bad',
}

const script = createModelScript()
let home: RemediumHome
let server: ScriptedServer
let runResult: CommandResult
let problem: string
const runFolder = (): string => join(home.path, 'run')

const repeatOption = (name: string, values: readonly string[]): string[] =>
  values.flatMap((value) => [`--${name}`, value])

beforeAll(async () => {
  home = makeRemediumHome('model-run')
  const easy = await loadSuite('easy', { system: 'simple-micro' })
  problem = easy.find(
    ({ faults: [first] }) => first?.fault === 'cpu-stress' && first.target.service === 'hello-service',
  )!.id
  server = await createScriptedServer((request) => script.answer(request))
  runResult = await home.run([
    ...['run', problem, '--out', runFolder(), '--workers', '1', '--json', '--base-url', server.url],
    ...repeatOption('agent', ['solo-gen', 'think-remed', 'react']),
    ...repeatOption('model', ['compatible:good', 'compatible:bad', ...ROLES, 'probe=compatible:plain']),
    ...repeatOption('set', ['think-remed.settleSeconds=2']),
    ...['--price', Object.values(PRICE).join(','), '--record', join(home.path, 'conversations', 'all.jsonl')],
  ])
}, 600_000)
afterAll(async () => {
  await server?.close()
  home.remove()
})

const resultOf = (key: ContenderKey): EpisodeResult =>
  readRun(runFolder()).results.find(({ contender }) => contender === NAMES[key])!

type Event<T extends EpisodeEvent['type']> = Extract<EpisodeEvent, { type: T }>
const eventsOf = <T extends EpisodeEvent['type']>(key: ContenderKey, type: T): Event<T>[] =>
  readFileSync(recordPathOf(runPaths(runFolder()).records, resultOf(key).episode), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as EpisodeEvent)
    .filter((event): event is Event<T> => event.type === type)

describe('verdicts', () => {
  it('exist for all agents, except one whose provider failed', () => {
    // The exit code of a run with void episodes.
    expect({ code: runResult.code, err: runResult.err }).toMatchObject({ code: 3 })
    const { results } = readRun(runFolder())
    const failures = results.flatMap((result) => result.failures ?? []).join('\n')
    // The order of episodes is drawn from the secret of the run.
    expect(
      Object.fromEntries(results.map(({ contender, outcome, blame }) => [contender, [outcome, blame]])),
      failures,
    ).toEqual({
      [NAMES['solo-gen good']]: ['resolved', undefined],
      [NAMES['solo-gen bad']]: ['unresolved', 'agent'],
      [NAMES['think-remed']]: ['resolved', undefined],
      [NAMES['react good']]: ['resolved', undefined],
      [NAMES['react bad']]: ['void', 'provider'],
    })
    expect(results).toHaveLength(5)
    const failed = resultOf('react bad')
    expect(failed).toMatchObject({ code: 'model-failed', tries: 3, metrics: { costUsd: 0, steps: 0 } })
    expect(failed.failures).toHaveLength(3)
  })

  it('include the tokens and the cost that the server reported', () => {
    for (const key of Object.keys(NAMES) as ContenderKey[]) {
      const { input, output, cachedInput } = script.tokens.get(key) ?? {
        input: 0,
        output: 0,
        cachedInput: 0,
      }
      const { tokens, costUsd } = resultOf(key).metrics
      expect(tokens, key).toMatchObject({ input, output })
      const inputMicroUsd = (input - cachedInput) * PRICE.input + cachedInput * PRICE.cachedInput
      expect(costUsd, key).toBeCloseTo((inputMicroUsd + output * PRICE.output) / 1e6, 10)
    }
    const results = readRun(runFolder()).results
    expect(results.reduce((sum, { metrics }) => sum + metrics.tokens.input, 0)).toBe(server.reported.input)
    expect(server.reported.output).toBeGreaterThan(0)
  })
})

describe('requests to the model server', () => {
  const requestsOf = (model: string) =>
    server.requests.filter(
      ({ body }) => body.model === model && body.messages[0]?.content !== CONTACT_REQUEST,
    )

  it('ask for streamed answers, and do not repeat a rejected feature', () => {
    expect(requestsOf('good').every(({ body }) => body.stream === true)).toBe(true)
    expect(requestsOf('plain').map(({ body }) => body.stream === true)).toEqual([true, false, false])
    const offersTools = requestsOf('bad').map(({ body }) => body.tools !== undefined)
    // One rejected and one accepted request of SoloGen, then three attempts of ReAct without tools.
    expect(offersTools).toEqual([true, false, false, false, false])
  })

  it('are retried after a rate limit', () => {
    const [first] = eventsOf('react good', 'model-called')
    expect(first!.answer.tries).toBe(2)
    expect(first!.answer.milliseconds).toBeGreaterThanOrEqual(1000)
  })
})

describe('records', () => {
  it('contain the prompts, the actions and their results', () => {
    expect(eventsOf('react good', 'step-taken').map(({ action }) => action)).toEqual([
      ...['get_alerts', 'get_objects', 'run_playbook', 'submit'],
    ])
    expect(resultOf('react good').metrics.steps).toBe(3)
    expect(eventsOf('solo-gen good', 'task-ended').map(({ outcome }) => outcome)).toEqual(['ok', 'changed'])
    expect(eventsOf('solo-gen bad', 'task-ended').map(({ outcome }) => outcome)).toEqual(['failed'])
    expect(eventsOf('think-remed', 'task-ended').map(({ outcome }) => outcome)).toEqual([
      ...['ok', 'ok', 'changed'],
    ])
    expect(eventsOf('think-remed', 'model-called').map(({ role, model }) => `${role} ${model}`)).toEqual([
      'coordinator compatible:good',
      ...['probe compatible:plain', 'probe compatible:plain'],
      ...['coordinator compatible:good', 'execution compatible:good', 'verification compatible:good'],
      ...['coordinator compatible:good', 'verification compatible:good'],
    ])
    const reflectionPrompt = eventsOf('think-remed', 'model-called')[6]!.messages.at(-1)!
    expect(reflectionPrompt.content).toMatch(
      /changed nothing[\s\S]*not healthy. Evidence: nothing was changed[\s\S]*reflect/,
    )
    expect(script.unused()).toEqual(['react bad'])
  })

  it('of conversations contain every answer and every failed call', () => {
    const lines = readFileSync(join(home.path, 'conversations', 'all.jsonl'), 'utf8')
      .trim()
      .split('\n')
    const calls = lines.map((line) => JSON.parse(line))
    expect(calls.filter(({ error }) => error !== undefined)).toHaveLength(3)
    const answered = calls.filter(({ answer }) => answer !== undefined)
    expect(answered.reduce((sum, { answer }) => sum + answer.usage.input, 0)).toBe(server.reported.input)
  })
})

describe('exports', () => {
  const exportRun = async (format: string, ...more: string[]) => {
    const { code, out, err } = await home.run(['export', runFolder(), '--format', format, ...more])
    expect({ code, err }).toMatchObject({ code: 0 })
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const findByEpisode = <T>(entries: T[], key: ContenderKey, idOf: (entry: T) => string): T =>
    entries.find((entry) => idOf(entry) === resultOf(key).episode)!

  it('contain conversations as ShareGPT', async () => {
    const rows = await exportRun('sharegpt')
    const parts = rows.filter(({ id }) => id.startsWith(resultOf('think-remed').episode))
    expect(parts.map(({ id }) => id)).toEqual(
      ['coordinator-1', 'probe-1', 'execution-1', 'verification-1', 'verification-2'].map(
        (part) => `${resultOf('think-remed').episode}/${part}`,
      ),
    )
    const turns = parts.map((part) => part.conversations.map(({ from }: { from: string }) => from).join(' '))
    expect(turns).toEqual([
      'system human function_call observation function_call observation function_call',
      'system human function_call observation function_call',
      ...['system human gpt', 'system human function_call', 'system human function_call'],
    ])
    expect(rows).toHaveLength(3 + parts.length)
    const { conversations } = findByEpisode(rows, 'react good', ({ id }) => id)
    expect(conversations.map(({ from }: { from: string }) => from)).toEqual([
      ...['system', 'human', 'function_call', 'observation', 'function_call', 'observation'],
      'function_call',
    ])
    const text = JSON.stringify(conversations)
    for (const answer of ['Which alerts are active?', 'I restart hello-service.', 'The alerts are gone.'])
      expect(text).toContain(answer)
    expect(conversations[4].value).toContain(JSON.stringify(RESTART))
    // Tools are offered in text, and the playbook is in a fenced block, so the export has no function call.
    const broken = findByEpisode(rows, 'solo-gen bad', ({ id }) => id).conversations
    expect(broken.map(({ from }: { from: string }) => from)).toEqual(['system', 'human', 'gpt'])
    expect(broken[0].value).toContain('- run_playbook: ')
    expect(broken[2].value).toContain(BROKEN.trim())
  })

  it('contain trajectories as ATIF', async () => {
    const rows = await exportRun('atif', '--verdict', 'resolved')
    expect(rows).toHaveLength(3)
    const { steps, final_metrics, extra } = findByEpisode(rows, 'think-remed', ({ session_id }) => session_id)
    const { tokens, costUsd } = resultOf('think-remed').metrics
    expect(final_metrics).toMatchObject({
      total_prompt_tokens: tokens.input,
      total_completion_tokens: tokens.output,
      total_cost_usd: expect.closeTo(costUsd!, 10),
    })
    expect(extra).toMatchObject({ problem, outcome: 'resolved' })
    const calls = steps.flatMap(({ tool_calls = [] }) => tool_calls)
    const playbookCalls = calls.filter(
      ({ function_name }: { function_name: string }) => function_name === 'run_playbook',
    )
    expect(
      playbookCalls.map((call: { arguments: { playbook: string } }) => call.arguments.playbook.trim()),
    ).toEqual([LOOK_ONLY, REPLACE].map((text) => text.trim()))
  })
})

it('leaves no processes, clusters or files', async () => {
  await expect.poll(home.leftovers).toEqual([])
})
