/** Tests that the loaders of real trainers accept exports of live episodes. Run by `npm run proof exports`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createScriptedServer } from '#examinee/models/testing'
import { readRun } from '#lab/runs'
import { ensureTrainers, runProgram } from './testing/exports/ensure-trainers.ts'
import { createModelAnswers, NATIVE_MODEL, PLAIN_MODEL } from './testing/exports/model-answers.ts'
import { makeRemediumHome, type RemediumHome } from './testing/remedium-home.ts'

const { EXPORT_PROBLEMS, EXPORT_WORKERS = '1', EXPORT_IS_QUICK } = process.env
const HOUR_MS = 3_600_000

const FORMATS = ['atif', 'messages', 'sharegpt'] as const
const AGENT_WITHOUT_MODEL = 'expert'
/** Each agent with each model; in the quick form the agent with the most roles, with both models. */
const [AGENTS, MODELS, CONTENDERS] =
  EXPORT_IS_QUICK === 'yes'
    ? ([['think-remed'], [NATIVE_MODEL, `probe=${PLAIN_MODEL}`, `verification=${PLAIN_MODEL}`], 2] as const)
    : ([['solo-gen', 'think-remed', 'react'], [NATIVE_MODEL, PLAIN_MODEL], 7] as const)
const LOADER = join(import.meta.dirname, 'testing', 'exports', 'load.py')
/** Episodes can be void on a busy machine; those with a record are exported, too. */
const EXIT_CODES = [0, 3]

let home: RemediumHome
beforeAll(() => {
  home = makeRemediumHome('remedium-exports')
})
afterAll(() => home.remove())

const runRemedium = async (...args: readonly string[]): Promise<void> => {
  const { code, err } = await home.run(args)
  expect(EXIT_CODES, `remedium ${args.join(' ')}: exit code ${code}\n${err}`).toContain(code)
}

/** Plays a run; resolves to the number of its episodes. */
const playRun = async (out: string, problems: number, modelServer: string): Promise<number> => {
  await runRemedium(
    ...['run', 'easy', '--system', 'simple-micro', '--limit', String(problems)],
    ...['--workers', EXPORT_WORKERS, '--out', out, '--base-url', modelServer],
    ...[...AGENTS, AGENT_WITHOUT_MODEL].flatMap((agent) => ['--agent', agent]),
    ...MODELS.flatMap((model) => ['--model', model]),
    ...['--temperature', '0.5', '--top-p', '0.9', '--model-seed', '7', '--reasoning', 'low'],
    ...['--set', 'think-remed.settleSeconds=0', '--price', '1,2'],
  )
  const { results } = readRun(out)
  const outcomes = results.map(({ outcome }) => outcome)
  const countText = (outcome: string): string =>
    `${outcomes.filter((other) => other === outcome).length} ${outcome}`
  console.log(`${results.length} episodes: ${['resolved', 'unresolved', 'void'].map(countText).join(', ')}`)
  return results.length
}

const linesOf = (format: string): string[] =>
  readFileSync(join(home.path, `${format}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')

describe.skipIf(EXPORT_PROBLEMS === undefined)('exports of live episodes', { timeout: 3 * HOUR_MS }, () => {
  const problems = Number(EXPORT_PROBLEMS)
  let run: string
  let episodes = 0
  beforeAll(() => {
    run = join(home.path, 'run')
  })

  it('cover episodes with native tools, with tools in text, and without a model', async () => {
    const server = await createScriptedServer(createModelAnswers())
    try {
      episodes = await playRun(run, problems, server.url)
    } finally {
      await server.close()
    }
    expect(episodes).toBe(problems * CONTENDERS)
  })

  it('contain every episode, with reasoning, tools and settings', async () => {
    for (const format of FORMATS)
      await runRemedium('export', run, '--format', format, '--out', join(home.path, `${format}.jsonl`))
    console.log(FORMATS.map((format) => `${linesOf(format).length} lines of ${format}`).join(', '))
    expect(linesOf('atif')).toHaveLength(episodes)
    expect(linesOf('messages')).toHaveLength(linesOf('sharegpt').length)
    const messages = linesOf('messages').join('\n')
    for (const part of [
      '"reasoning_content":"A playbook that reads.',
      '"temperature":0.5',
      '\\"run_playbook\\"',
      'You can call tools.',
    ])
      expect(messages.includes(part), part).toBe(true)
  })

  it('are accepted by the loaders of trainers', async () => {
    const trainers = await ensureTrainers((line) => console.log(line))
    if ('missing' in trainers) {
      console.log(trainers.missing)
      console.log('SKIPPED: THE LOADERS OF TRAINERS COULD NOT BE INSTALLED FROM PYPI. NOTHING WAS LOADED.')
      // The tests run the quick form, also on machines without a network.
      expect(EXPORT_IS_QUICK, 'NOT PROVEN: the loaders are missing').toBe('yes')
      return
    }
    const { ok, output } = await runProgram(trainers.python, LOADER, home.path)
    console.log(output.slice(-5000))
    expect(ok).toBe(true)
  })
})
