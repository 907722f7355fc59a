/** Tests the gym with real worker processes whose laboratory has no cluster. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readRecord } from '#exam/episode'
import { RIGHT, runPlaybook, SUBMIT, useFakeGym, WRONG } from './testing/use-fake-gym.ts'

const records = mkdtempSync(join(tmpdir(), 'create-gym-'))
afterAll(() => rmSync(records, { recursive: true }))
const fake = useFakeGym({ records })
const listVoid = (): string[] => readdirSync(records).filter((name) => name.includes('.void-'))

it('plays an episode step by step, and then another', async () => {
  const session = fake.openSession()
  const { observation, info } = await session.reset({ problem: 'a', seed: 7 })
  expect(observation.text).toContain('users suffer')
  expect(observation.actions.map(({ name }) => name)).toContain('run_playbook')
  expect(info).toMatchObject({ problem: 'a', seed: '7' })
  const ran = await session.step(runPlaybook(RIGHT))
  expect(ran).toMatchObject({ reward: 0, terminated: false, truncated: false, info: { step: 1 } })
  const end = await session.step(SUBMIT)
  expect(end).toMatchObject({ reward: 1, terminated: true, truncated: false })
  expect(end.info.verdict).toMatchObject({ outcome: 'resolved' })
  await session.reset({ problem: 'a' })
  expect(await session.step(SUBMIT)).toMatchObject({ reward: 0, terminated: true })
})

it.each([
  [undefined, 'An action is an object'],
  ['run_playbook', 'An action is an object'],
  [{ name: 7 }, 'The field "name" is missing'],
  [{ name: 'run_playbok' }, 'does not exist'],
  [{ name: 'run_playbook', input: [] }, 'The input of run_playbook is invalid'],
])('spends a step on the malformed action %j and explains it', async (action, text) => {
  const session = fake.openSession()
  await session.reset({ problem: 'a' })
  const { observation, info } = await session.step(action)
  expect(observation).toMatchObject({ ok: false, text: expect.stringContaining(text) })
  expect(info.step).toBe(1)
})

it('truncates the episode when the budget is spent', async () => {
  const session = fake.openSession()
  await session.reset({ problem: 'a' })
  for (let step = 1; step < 5; step += 1)
    expect(await session.step({ name: 'get_alerts' })).toMatchObject({ truncated: false })
  const end = await session.step({ name: 'get_alerts' })
  expect(end).toMatchObject({ reward: 0, terminated: false, truncated: true, info: { step: 5 } })
})

describe('gives no reward', () => {
  it('for an attempt that the engine does not support', async () => {
    const session = fake.openSession()
    await session.reset({ problem: 'a' })
    const end = await session.step(runPlaybook(RIGHT.replace('right', 'unsupported')))
    expect(end).toMatchObject({ reward: null, terminated: false, truncated: true })
    expect(end.info.void).toMatchObject({ code: 'unsupported', blame: 'harness' })
  })

  it('for an episode whose worker is lost, and starts the next one on another worker', async () => {
    const session = fake.openSession()
    await session.reset({ problem: 'a' })
    const before = listVoid()
    const end = await session.step(runPlaybook(RIGHT.replace('right', 'die')))
    expect(end).toMatchObject({ reward: null, truncated: true, info: { void: { code: 'cluster-lost' } } })
    const [name, ...others] = listVoid().filter((one) => !before.includes(one))
    expect({ name, others }).toEqual({ name: expect.stringMatching(/^a\.\w+\.void-1\.jsonl$/), others: [] })
    const [start, failure, given] = readRecord(join(records, name!))
    expect(start).toMatchObject({ type: 'episode-started', solver: 'gym', problem: { id: 'a' } })
    expect(failure).toMatchObject({ type: 'harness-failed', code: 'cluster-lost' })
    expect(given).toMatchObject({ type: 'verdict-given', verdict: end.info.verdict })
    expect(readdirSync(records).filter((one) => one.endsWith('.part'))).toEqual([])
    await session.reset({ problem: 'a' })
    await session.step(runPlaybook(RIGHT))
    expect(await session.step(SUBMIT)).toMatchObject({ reward: 1 })
  })
})

it('reports mistakes of the caller, and stays usable', async () => {
  const [session] = [fake.openSession(), fake.openSession()]
  await expect(session.step(SUBMIT)).rejects.toThrow('Call reset first')
  await expect(session.reset({ problem: 'failin' })).rejects.toMatchObject({
    hint: 'Did you mean "failing"?',
  })
  await expect(session.reset({ problem: 'failing' })).rejects.toMatchObject({ code: 'no-user-impact' })
  await expect(session.step(SUBMIT)).rejects.toThrow('Call reset first')
  await session.reset({ problem: 'a' })
  expect(() => fake.gym.openSession()).toThrow('All 2 sessions of the gym are taken')
  const first = session.step({ name: 'get_alerts' })
  await expect(session.step(SUBMIT)).rejects.toThrow('previous call')
  expect(await first).toMatchObject({ observation: { ok: true } })
  await session.step(SUBMIT)
  await expect(session.step(SUBMIT)).rejects.toThrow('The episode has ended')
})

it('scores playbooks in the order of the requests', async () => {
  const playbooks = [RIGHT, WRONG, RIGHT.replace('right', 'unsupported'), 'x: [']
  const scored = await fake.gym.score(playbooks.map((playbook) => ({ problem: 'a', seed: 1, playbook })))
  expect(scored.map(({ reward }) => reward)).toEqual([1, 0, null, 0])
  expect(scored[3]!.observation.text).toContain('The playbook was refused')
})

it.each([
  [{ problem: 'a' }, 'playbook'],
  [{ problem: 'reading', playbook: '' }, 'has no repair'],
  [{ problem: 'b', playbook: '' }, 'also requires these answers'],
  [{ problem: 'x', playbook: '' }, 'no problem "x"'],
])('rejects a batch with the request %j', async (request, message) => {
  await expect(fake.gym.score([request as never])).rejects.toThrow(message)
})

// The gym's own sessions stay open, so this test comes last.
it('plays several sessions at the same time', async () => {
  const { gym } = fake
  await gym.resetMany([{ problem: 'a' }, { problem: 'b' }])
  const ran = await gym.stepMany([runPlaybook(RIGHT), SUBMIT])
  expect(ran[1]?.observation.text).toContain('requires these answers')
  const ends = await gym.stepMany([SUBMIT, { name: 'submit', input: { detected: false } }])
  expect(ends.map((end) => end?.reward)).toEqual([1, 0])
  expect(await gym.stepMany([undefined, undefined])).toEqual([undefined, undefined])
})
