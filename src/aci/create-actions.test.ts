/** The policy over actions: which there are, what is refused, what is counted and written down. */
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { RemediumError, type Task } from '../spec/index.ts'
import { ACTIONS } from './action-registry.ts'
import { createActions } from './create-actions.ts'
import type { Policy } from './policy.ts'
import type { Playbooks, Shell } from './ports.ts'
import { createSpending } from './spending.ts'
import { createFakeContext, type FakeContext } from './testing/fake-context.ts'

const shell: Shell = { run: async ({ command }) => ({ exitCode: 0, stdout: `ran ${command}`, stderr: '' }) }
const playbooks: Playbooks = { run: async () => ({ ok: true, tasks: [], output: '' }) }

interface Setting {
  readonly task?: Task
  readonly policy?: Policy
  readonly shell?: Shell
  readonly fake?: FakeContext
}

const start = ({ task = 'mitigation', policy = {}, shell: own = shell, fake }: Setting = {}) => {
  const used = fake ?? createFakeContext({ task })
  const failures: RemediumError[] = []
  const spending = createSpending(policy.budget ?? {}, used.context.spend)
  const actions = createActions({
    context: used.context,
    policy,
    spending,
    shell: own,
    playbooks,
    onFailure: (error) => void failures.push(error),
  })
  return { ...used, actions, spending, failures }
}

const namesOf = (setting: Setting): string[] => start(setting).actions.available.map(({ name }) => name)

describe('what is far too long', () => {
  it('is refused at once, as the name of an action', async () => {
    const { ok, text } = await start().actions.call('x'.repeat(3_900_000), {})
    expect(ok).toBe(false)
    expect(text).toContain('No action has a name of 3900000 letters. The actions are: get_alerts')
  })

  it('is refused in every text that an action takes', async () => {
    const long = 'x'.repeat(3_900_000)
    for (const { name, input } of ACTIONS)
      for (const [field, schema] of Object.entries(input.shape)) {
        const takes = (value: unknown): boolean => (schema as z.ZodType).safeParse(value).success
        expect([name, field, takes(long), takes([long])]).toEqual([name, field, false, false])
      }
  })
})

describe('the policy', () => {
  it.each(['mitigation', 'remediation', 'end-to-end'] as const)('gives every action in %s', (task) => {
    expect(namesOf({ task })).toHaveLength(11)
  })

  it.each(['detection', 'localisation', 'analysis'] as const)('gives only what looks in %s', async (task) => {
    const { actions, steps } = start({ task })
    expect(actions.available.every(({ isReadOnly }) => isReadOnly)).toBe(true)
    expect(actions.available.map(({ name }) => name)).toContain('exec_shell')
    const { ok, text } = await actions.call('run_playbook', { playbook: '' })
    expect({ ok, text }).toEqual({ ok: false, text: expect.stringContaining('not allowed in this task') })
    expect(steps).toHaveLength(1)
  })

  it('allows and denies by name, and never denies submit', () => {
    expect(
      namesOf({ policy: { allow: ['get_logs', 'exec_shell'], deny: ['exec_shell', 'submit'] } }),
    ).toEqual(['get_logs', 'submit'])
  })

  it('refuses to name an action that does not exist', () => {
    expect(() => start({ policy: { deny: ['exec_shel'] } })).toThrow(
      'The policy names the action "exec_shel", which does not exist; did you mean "exec_shell".',
    )
  })

  it('asks a human before what may change something, and before nothing else', async () => {
    const asked: unknown[] = []
    const policy: Policy = {
      async approve(request) {
        asked.push(request)
        return { isApproved: false, reason: 'not today' }
      },
    }
    const { actions, works } = start({ policy })
    expect((await actions.call('get_alerts', {})).ok).toBe(true)
    const { ok, text } = await actions.call('exec_shell', { command: 'kubectl delete pod x' })
    expect(ok).toBe(false)
    expect(text).toContain('A human did not approve this exec_shell: not today. Nothing was done.')
    expect(asked).toEqual([{ action: 'exec_shell', input: { command: 'kubectl delete pod x' } }])
    expect(works).toHaveLength(0)
  })
})

describe('a call', () => {
  it('of an action that does not exist says which there are', async () => {
    const { actions } = start()
    expect(await actions.call('get_log', {})).toMatchObject({
      ok: false,
      text: expect.stringMatching(
        /no action "get_log"; did you mean get_logs\. The actions are: get_alerts, /,
      ),
    })
  })

  it('with a wrong input says what was expected', async () => {
    const { actions } = start()
    const { ok, text } = await actions.call('get_logs', { severity: 'loud', servce: 'cart' })
    expect(ok).toBe(false)
    expect(text).toContain('severity: ')
    expect(text).toContain('servce')
    expect(text).toContain('Its fields are: service, pod, severity, contains, since_seconds, limit.')
  })

  it('forgives what models write: text, null and numbers as text', async () => {
    const { actions } = start()
    expect((await actions.call('get_alerts', '{"all": true}')).ok).toBe(true)
    expect((await actions.call('get_logs', { service: null, limit: '5' })).ok).toBe(true)
    expect((await actions.call('get_alerts', undefined)).ok).toBe(true)
    expect((await actions.call('get_alerts', 'all of them')).ok).toBe(false)
  })

  it('is a step in the record, with what models have cost since the last one', async () => {
    const { actions, spending, steps } = start()
    spending.add({ usage: { input: 100, output: 10 }, costUsd: 0.5 })
    spending.add({ usage: { input: 200, output: 20 }, costUsd: 0.25 })
    await actions.call('get_alerts', {})
    await actions.call('get_alerts', {})
    spending.add({ usage: { input: 1, output: 0 } })
    spending.add({ usage: { input: 1, output: 0 }, costUsd: 0.5 })
    await actions.call('get_alerts', {})
    expect(steps).toEqual([
      {
        action: 'get_alerts',
        input: {},
        observation: 'Alerts that hold now: none',
        tokens: { input: 300, output: 30 },
        costUsd: 0.75,
      },
      { action: 'get_alerts', input: {}, observation: 'Alerts that hold now: none' },
      // What is not known is not 0.
      {
        action: 'get_alerts',
        input: {},
        observation: 'Alerts that hold now: none',
        tokens: { input: 2, output: 0 },
      },
    ])
  })

  it('is cut off when time is up, told as a step, and what it does is waited for', async () => {
    let end = (): void => {}
    const { actions, steps, works, abort } = start({
      shell: {
        run: () =>
          new Promise((resolve) => {
            end = () => resolve({ exitCode: 137, stdout: '', stderr: '' })
          }),
      },
    })
    const calling = actions.call('exec_shell', { command: 'sleep 100' })
    await new Promise(setImmediate)
    abort('the time of the budget is spent')
    await expect(calling).rejects.toThrow('the time of the budget is spent')
    expect(steps.map(({ observation }) => observation)).toEqual([
      'It was cut off: the time of the budget is spent.',
    ])
    expect(works).toHaveLength(1)
    end()
    await works[0]
    await expect(actions.call('get_alerts', {})).rejects.toThrow('the time of the budget is spent')
  })

  it('that submits may be made again where it was refused', async () => {
    const { actions, steps } = start()
    await actions.call('get_alerts', {})
    for (let time = 0; time < 3; time += 1)
      expect((await actions.call('submit', { layer: 'nonsense' })).ok).toBe(false)
    expect((await actions.call('submit', {})).ok).toBe(true)
    expect(steps.map(({ action }) => action)).toEqual(['get_alerts', ...Array(4).fill('submit')])
  })

  it('of a machine that fails rejects, so that nobody blames the agent', async () => {
    const failure = new RemediumError('tool-missing', 'There is no runc.')
    const { actions, failures } = start({ shell: { run: () => Promise.reject(failure) } })
    await expect(actions.call('exec_shell', { command: 'true' })).rejects.toBe(failure)
    expect(failures).toEqual([failure])
  })

  it('that the API refuses is explained', async () => {
    const { actions } = start()
    const { ok, text } = await actions.call('get_objects', { kind: 'pods', namespace: 'kube-system' })
    expect(ok).toBe(false)
    expect(text).toContain('Your account may not do this: pods is forbidden')
    expect(text).toContain('You have rights in the namespace shop')
  })

  it('after submit is none', async () => {
    const { actions, answers } = start()
    expect(await actions.call('submit', { note: 'mended' })).toMatchObject({ ok: true })
    await actions.submitted
    expect(answers).toEqual([{}])
    await expect(actions.call('get_alerts', {})).rejects.toThrow('the agent has submitted')
  })
})

describe('descriptions', () => {
  it.each(ACTIONS)('of $name have an example that is right', ({ input, example }) => {
    expect(input.safeParse(example).success).toBe(true)
  })

  it('are complete: words, an example that is right, and a schema that says what every field is', () => {
    for (const { name, about, input } of start().actions.available) {
      expect(about, name).toMatch(/^[A-Z].{60,}[\s\S]*Example input: \{/)
      expect(input, name).toMatchObject({ type: 'object', additionalProperties: false })
      expect(Object.keys(input), name).not.toContain('$schema')
    }
  })
})
