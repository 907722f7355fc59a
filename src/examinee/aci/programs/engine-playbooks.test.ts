/** Tests actions whose playbooks and commands the engine of the cluster runs. */
import { expect, it } from 'vitest'
import { type Agent, type EngineCommand, type EnginePlaybook, RemediumError, type SolverEvent } from '#spec'
import { ACTIONS } from '../action-registry.ts'
import { agentSolver } from '../agent-solver.ts'
import { createFakeContext } from '../testing/fake-context.ts'
import { enginePlaybooks } from './engine-playbooks.ts'
import { engineShell } from './engine-shell.ts'

const PLAYBOOK = '- hosts: localhost\n  tasks:\n    - ansible.builtin.debug: { msg: hello }\n'
const RESULT = { ok: true, output: '', tasks: [], milliseconds: 1 }

const callAction = (name: string, input: object, tools: object) => {
  const { context } = createFakeContext()
  const action = ACTIONS.find((candidate) => candidate.name === name)!
  return { context, called: action.run({ ...context, rollback: 'never', ...tools }, input as never) }
}

it('runs a playbook with the rights of the agent, and rolls it back if it fails', async () => {
  const playbooks: EnginePlaybook[] = []
  const run = async (playbook: EnginePlaybook) => {
    playbooks.push(playbook)
    return { ...RESULT, ok: false }
  }
  const { context, called } = callAction(
    'run_playbook',
    { playbook: PLAYBOOK },
    { playbooks: enginePlaybooks(run) },
  )
  expect((await called).text).toContain('The playbook failed.')
  expect(playbooks).toMatchObject([{ text: PLAYBOOK, namespace: 'shop' }])
  expect(playbooks[0]!.api).toBe(context.api)
  const events: SolverEvent[] = []
  const report = await enginePlaybooks(run).run({
    ...context,
    ...{ text: PLAYBOOK, namespace: 'shop', rollback: 'on-failure' },
    takeSnapshot: async () => ({ revert: async () => ['Pod/a'], findHarm: async () => [], release() {} }),
    onEvent: (event) => void events.push(event),
  })
  expect(report.rolledBack).toEqual(['Pod/a'])
  expect(events.map(({ type }) => type)).toEqual(['playbook-vetted', 'playbook-rolled-back'])
})

it('runs a command with the rights of the agent', async () => {
  const commands: EngineCommand[] = []
  const shell = engineShell(async (command) => {
    commands.push(command)
    return { exitCode: 1, stdout: 'out', stderr: 'err' }
  })
  const { context, called } = callAction('exec_shell', { command: 'kubectl get pods' }, { shell })
  expect(await called).toMatchObject({ ok: false, data: { exitCode: 1, stdout: 'out', stderr: 'err' } })
  expect(commands).toMatchObject([{ command: 'kubectl get pods', namespace: 'shop', timeoutMs: 30_000 }])
  expect(commands[0]!.api).toBe(context.api)
})

it('does not blame the agent for unsupported features of the engine', async () => {
  const unsupported = enginePlaybooks(async () => ({ ...RESULT, unsupported: 'the module apt' }))
  const broken = engineShell(async () => Promise.reject(new TypeError('x is undefined')))
  const { called } = callAction('run_playbook', { playbook: PLAYBOOK }, { playbooks: unsupported })
  await expect(called).rejects.toMatchObject({ code: 'unsupported' })
  await expect(called).rejects.toBeInstanceOf(RemediumError)
  await expect(callAction('exec_shell', { command: 'ls' }, { shell: broken }).called).rejects.toMatchObject({
    code: 'defect',
  })
})

it('ends an agent whose action the engine does not support, even if it continues and submits', async () => {
  const stubborn: Agent = {
    name: 'stubborn',
    about: 'An agent for tests',
    roles: [],
    async *solve({ actions }) {
      await actions.call('exec_shell', { command: 'vi' }).catch(() => {})
      yield { thought: 'never mind' }
      await actions.call('submit', {})
    },
  }
  const { context } = createFakeContext()
  const shell = engineShell(async () => ({
    exitCode: 0,
    stdout: '',
    stderr: '',
    unsupported: 'the program vi',
  }))
  await expect(agentSolver({ agent: stubborn, shell }).solve(context)).rejects.toMatchObject({
    code: 'unsupported',
    message: 'The engine cannot run the command: the program vi.',
  })
})
