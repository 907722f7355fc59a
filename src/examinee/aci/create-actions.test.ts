/** Tests of the actions of an episode: their availability, refused calls, and their records. */
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { RemediumError, type Task } from '#spec'
import { ACTIONS } from './action-registry.ts'
import { createActions } from './create-actions.ts'
import type { Policy } from './policy.ts'
import type { Playbooks, Shell } from './ports.ts'
import { createSpending } from './spending.ts'
import { createFakeContext, type FakeContext } from './testing/fake-context.ts'

const shell: Shell = { run: async ({ command }) => ({ exitCode: 0, stdout: `ran ${command}`, stderr: '' }) }
const playbooks: Playbooks = {
  run: async () => ({
    ok: true,
    isRefused: false,
    findings: [],
    tasks: [],
    output: '',
    milliseconds: 1,
  }),
}

interface SetUpOptions {
  readonly task?: Task
  readonly policy?: Policy
  readonly shell?: Shell
  readonly fake?: FakeContext
}

const setUp = ({ task = 'mitigation', policy = {}, shell: usedShell = shell, fake }: SetUpOptions = {}) => {
  const fakeContext = fake ?? createFakeContext({ task })
  const failures: RemediumError[] = []
  const spending = createSpending(policy.budget ?? {}, fakeContext.context.spend)
  const actions = createActions({
    context: fakeContext.context,
    policy,
    spending,
    shell: usedShell,
    playbooks,
    onFailure: (error) => void failures.push(error),
  })
  return { ...fakeContext, actions, spending, failures }
}

const listAvailable = (options: SetUpOptions): string[] =>
  setUp(options).actions.available.map(({ name }) => name)

describe('an oversized text', () => {
  it('is rejected as the name of an action', async () => {
    const { ok, text } = await setUp().actions.call('x'.repeat(3_900_000), {})
    expect(ok).toBe(false)
    expect(text).toContain(
      'The action name is too long: 3900000 characters (at most 100). Available actions: get_alerts',
    )
  })

  it('is rejected by every text field of every action', async () => {
    const longText = 'x'.repeat(3_900_000)
    for (const { name, input } of ACTIONS)
      for (const [field, schema] of Object.entries(input.shape)) {
        const accepts = (value: unknown): boolean => (schema as z.ZodType).safeParse(value).success
        expect([name, field, accepts(longText), accepts([longText])]).toEqual([name, field, false, false])
      }
  })
})

describe('the policy', () => {
  it.each(['mitigation', 'remediation', 'end-to-end'] as const)('permits every action in %s', (task) => {
    expect(listAvailable({ task })).toHaveLength(11)
  })

  it.each(['detection', 'localisation', 'analysis'] as const)(
    'permits only read-only actions in %s',
    async (task) => {
      const { actions, steps } = setUp({ task })
      expect(actions.available.every(({ isReadOnly }) => isReadOnly)).toBe(true)
      expect(actions.available.map(({ name }) => name)).toContain('exec_shell')
      const { ok, text } = await actions.call('run_playbook', { playbook: '' })
      expect({ ok, text }).toEqual({
        ok: false,
        text: expect.stringContaining('not available in this episode'),
      })
      expect(steps).toHaveLength(1)
    },
  )

  it('allows and denies by name, and never denies submit', () => {
    expect(
      listAvailable({ policy: { allow: ['get_logs', 'exec_shell'], deny: ['exec_shell', 'submit'] } }),
    ).toEqual(['get_logs', 'submit'])
  })

  it('rejects unknown action names', () => {
    expect(() => setUp({ policy: { deny: ['exec_shel'] } })).toThrow(
      'The policy names the action "exec_shel", which does not exist. Did you mean "exec_shell"?',
    )
  })

  it('requires approval only for actions that may make changes', async () => {
    const requests: unknown[] = []
    const policy: Policy = {
      async approve(request) {
        requests.push(request)
        return { isApproved: false, reason: 'not today' }
      },
    }
    const { actions, pendingWork } = setUp({ policy })
    expect((await actions.call('get_alerts', {})).ok).toBe(true)
    const { ok, text } = await actions.call('exec_shell', { command: 'kubectl delete pod x' })
    expect(ok).toBe(false)
    expect(text).toContain(
      'The operator did not approve this call of exec_shell: not today. The action did not run.',
    )
    expect(requests).toEqual([{ action: 'exec_shell', input: { command: 'kubectl delete pod x' } }])
    expect(pendingWork).toHaveLength(0)
  })
})

describe('a call', () => {
  it('of an unknown action lists the available ones', async () => {
    const { actions } = setUp()
    expect(await actions.call('get_log', {})).toMatchObject({
      ok: false,
      text: expect.stringMatching(
        /"get_log" does not exist\. Did you mean "get_logs"\? Available actions: get_alerts, /,
      ),
    })
  })

  it('with invalid input reports what is expected', async () => {
    const { actions } = setUp()
    const { ok, text } = await actions.call('get_logs', { severity: 'loud', servce: 'cart' })
    expect(ok).toBe(false)
    expect(text).toContain('severity: ')
    expect(text).toContain('servce')
    expect(text).toContain('Fields: service, pod, severity, contains, since_seconds, limit.')
  })

  it('accepts input as JSON text, null fields, and numbers as text', async () => {
    const { actions } = setUp()
    expect((await actions.call('get_alerts', '{"all": true}')).ok).toBe(true)
    expect((await actions.call('get_logs', { service: null, limit: '5' })).ok).toBe(true)
    expect((await actions.call('get_alerts', undefined)).ok).toBe(true)
    expect((await actions.call('get_alerts', 'all of them')).ok).toBe(false)
  })

  it('is recorded as a step, with the usage of models since the last step', async () => {
    const { actions, spending, steps } = setUp()
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
        reach: 'nothing',
        input: {},
        observation: 'Active alerts: none',
        tokens: { input: 300, output: 30 },
        costUsd: 0.75,
      },
      { action: 'get_alerts', reach: 'nothing', input: {}, observation: 'Active alerts: none' },
      // An unknown cost is not 0.
      {
        action: 'get_alerts',
        reach: 'nothing',
        input: {},
        observation: 'Active alerts: none',
        tokens: { input: 2, output: 0 },
      },
    ])
  })

  it('is aborted when the time is spent, recorded as a step, and awaited', async () => {
    let endCommand = (): void => {}
    const { actions, steps, pendingWork, abort } = setUp({
      shell: {
        run: () =>
          new Promise((resolve) => {
            endCommand = () => resolve({ exitCode: 137, stdout: '', stderr: '' })
          }),
      },
    })
    const calling = actions.call('exec_shell', { command: 'sleep 100' })
    await new Promise(setImmediate)
    abort('the time budget is spent')
    await expect(calling).rejects.toThrow('the time budget is spent')
    expect(steps.map(({ observation }) => observation)).toEqual([
      'The action was aborted: the time budget is spent.',
    ])
    expect(pendingWork).toHaveLength(1)
    endCommand()
    await pendingWork[0]
    await expect(actions.call('get_alerts', {})).rejects.toThrow('the time budget is spent')
  })

  it('of submit can be repeated after a refusal', async () => {
    const { actions, steps } = setUp()
    await actions.call('get_alerts', {})
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await actions.call('submit', { layer: 'nonsense' })).ok).toBe(false)
    expect((await actions.call('submit', {})).ok).toBe(true)
    expect(steps.map(({ action }) => action)).toEqual(['get_alerts', ...Array(4).fill('submit')])
  })

  it('rejects if the machine fails, so that the agent is not blamed', async () => {
    const failure = new RemediumError('tool-missing', 'There is no runc.')
    const { actions, failures } = setUp({ shell: { run: () => Promise.reject(failure) } })
    await expect(actions.call('exec_shell', { command: 'true' })).rejects.toBe(failure)
    expect(failures).toEqual([failure])
  })

  it.each([
    ['mitigation', 'It may read and change objects in the namespace shop'],
    ['detection', 'It may read objects in the namespace shop, and nodes. It may not change anything.'],
  ] as const)('explains why the API server rejected a request in %s', async (task, permissions) => {
    const { actions } = setUp({ task })
    const { ok, text } = await actions.call('get_objects', { kind: 'pods', namespace: 'kube-system' })
    expect(ok).toBe(false)
    expect(text).toContain('Your account does not have this permission: pods is forbidden')
    expect(text).toContain(permissions)
  })

  it('rejects after submit', async () => {
    const { actions, answers } = setUp()
    expect(await actions.call('submit', { note: 'repaired' })).toMatchObject({ ok: true })
    await actions.submitted
    expect(answers).toEqual([{}])
    await expect(actions.call('get_alerts', {})).rejects.toThrow('the agent has submitted')
  })
})

describe('the descriptions', () => {
  it.each(ACTIONS)('of $name have a valid example', ({ input, example }) => {
    expect(input.safeParse(example).success).toBe(true)
  })

  it('have a description, an example, and a schema that describes every field', () => {
    for (const { name, about, input } of setUp().actions.available) {
      expect(about, name).toMatch(/^[A-Z].{60,}[\s\S]*Example input: \{/)
      expect(input, name).toMatchObject({ type: 'object', additionalProperties: false })
      expect(Object.keys(input), name).not.toContain('$schema')
      for (const field of Object.values(input.properties as object))
        expect(field, name).toMatchObject({ description: expect.any(String) })
    }
  })
})
