/** Tests the gym with real worker processes whose laboratory has no cluster. */
import { describe, expect, it } from 'vitest'
import { RIGHT, runPlaybook, SUBMIT, useFakeGym, WRONG } from './testing/use-fake-gym.ts'

it('plays an episode step by step, and then another', async () => {
  const gym = useFakeGym()
  const { observation, info } = await gym.reset({ problem: 'a', seed: 7 })
  expect(observation.text).toContain('users suffer')
  expect(observation.text).not.toContain(info.problem === 'a' ? 'problem a' : info.problem)
  expect(observation.actions.map(({ name }) => name)).toContain('run_playbook')
  expect(info).toMatchObject({ problem: 'a', seed: '7' })
  const ran = await gym.step(runPlaybook(RIGHT))
  expect(ran).toMatchObject({ reward: 0, terminated: false, truncated: false, info: { step: 1 } })
  const end = await gym.step(SUBMIT)
  expect(end).toMatchObject({ reward: 1, terminated: true, truncated: false })
  expect(end.info.verdict).toMatchObject({ outcome: 'resolved' })
  await gym.reset({ problem: 'a' })
  expect(await gym.step(SUBMIT)).toMatchObject({ reward: 0, terminated: true })
})

it.each([
  [undefined, 'An action is an object'],
  ['run_playbook', 'An action is an object'],
  [{ name: 7 }, 'The field "name" is missing'],
  [{ name: 'run_playbok' }, 'does not exist'],
  [{ name: 'run_playbook', input: [] }, 'The input of run_playbook is invalid'],
])('spends a step on the malformed action %j and explains it', async (action, text) => {
  const gym = useFakeGym()
  await gym.reset({ problem: 'a' })
  const { observation, info } = await gym.step(action)
  expect(observation).toMatchObject({ ok: false, text: expect.stringContaining(text) })
  expect(info.step).toBe(1)
})

it('truncates the episode when the budget is spent', async () => {
  const gym = useFakeGym()
  await gym.reset({ problem: 'a' })
  for (let step = 1; step < 5; step += 1)
    expect(await gym.step({ name: 'get_alerts' })).toMatchObject({ truncated: false })
  const end = await gym.step({ name: 'get_alerts' })
  expect(end).toMatchObject({ reward: 0, terminated: false, truncated: true, info: { step: 5 } })
})

describe('gives no reward', () => {
  it('for an attempt that the engine does not support', async () => {
    const gym = useFakeGym()
    await gym.reset({ problem: 'a' })
    const end = await gym.step(runPlaybook(RIGHT.replace('right', 'unsupported')))
    expect(end).toMatchObject({ reward: null, terminated: false, truncated: true })
    expect(end.info.void).toMatchObject({ code: 'unsupported', blame: 'harness' })
  })

  it('for an episode whose worker is lost, and starts the next one on another worker', async () => {
    const gym = useFakeGym()
    await gym.reset({ problem: 'a' })
    const end = await gym.step(runPlaybook(RIGHT.replace('right', 'die')))
    expect(end).toMatchObject({ reward: null, truncated: true, info: { void: { code: 'cluster-lost' } } })
    await gym.reset({ problem: 'a' })
    await gym.step(runPlaybook(RIGHT))
    expect(await gym.step(SUBMIT)).toMatchObject({ reward: 1 })
  })
})

it('reports mistakes of the caller, and harms nothing', async () => {
  const gym = useFakeGym()
  await expect(gym.step(SUBMIT)).rejects.toThrow('Call reset first')
  await expect(gym.reset({ problem: 'failin' })).rejects.toMatchObject({ hint: 'Did you mean "failing"?' })
  await expect(gym.reset({ problem: 'failing' })).rejects.toMatchObject({ code: 'no-user-impact' })
  await expect(gym.step(SUBMIT)).rejects.toThrow('Call reset first')
  await gym.reset({ problem: 'a' })
  expect(() => gym.openSession()).toThrow('All 1 sessions of the gym are taken')
  const first = gym.step({ name: 'get_alerts' })
  await expect(gym.step(SUBMIT)).rejects.toThrow('previous call')
  expect(await first).toMatchObject({ observation: { ok: true } })
  await gym.step(SUBMIT)
  await expect(gym.step(SUBMIT)).rejects.toThrow('The episode has ended')
})

it('plays several sessions at the same time', async () => {
  const gym = useFakeGym({ workers: 2 })
  await gym.resetMany([{ problem: 'a' }, { problem: 'b' }])
  const ran = await gym.stepMany([runPlaybook(RIGHT), SUBMIT])
  expect(ran[1]?.observation.text).toContain('requires these answers')
  const ends = await gym.stepMany([SUBMIT, { name: 'submit', input: { detected: false } }])
  expect(ends.map((end) => end?.reward)).toEqual([1, 0])
  expect(await gym.stepMany([undefined, undefined])).toEqual([undefined, undefined])
})

it('scores playbooks in the order of the requests', async () => {
  const gym = useFakeGym({ workers: 2 })
  const scored = await gym.score(
    [RIGHT, WRONG, RIGHT.replace('right', 'unsupported'), 'x: ['].map((playbook) => ({
      problem: 'a',
      seed: 1,
      playbook,
    })),
  )
  expect(scored.map(({ reward }) => reward)).toEqual([1, 0, null, 0])
  expect(scored[3]!.observation.text).toContain('The playbook was refused')
})

it.each([
  [{ problem: 'a' }, 'playbook'],
  [{ problem: 'reading', playbook: '' }, 'has no repair'],
  [{ problem: 'b', playbook: '' }, 'also requires these answers'],
  [{ problem: 'x', playbook: '' }, 'no problem "x"'],
])('rejects a batch with the request %j', async (request, message) => {
  await expect(useFakeGym().score([request as never])).rejects.toThrow(message)
})

it('draws the problem from the seed', async () => {
  const gym = useFakeGym({ problems: useFakeGym().problems.values().toArray().slice(0, 2) })
  const drawn = new Set<string>()
  for (const seed of [1, 2, 3, 4, 5, 6]) drawn.add((await gym.reset({ seed })).info.problem)
  expect([...drawn].sort()).toEqual(['a', 'b'])
  const [first, second] = [await gym.reset({ seed: 3 }), await gym.reset({ seed: 3 })]
  expect(first.info.problem).toBe(second.info.problem)
})
