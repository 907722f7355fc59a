/** Tests of untrusted playbooks with the real Ansible in a sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findExecutable } from '#kit'
import { createSandbox, type Sandbox } from '#machine/sandbox'
import { createPlaybookRunner, type PlaybookRunner } from './create-playbook-runner.ts'
import { findAnsiblePlaybook } from './find-ansible.ts'
import { parseTaskResult, type TaskResult } from './task-reporter.ts'

const canRun =
  process.getuid?.() === 0 && findExecutable('runc') !== undefined && findAnsiblePlaybook() !== undefined

describe.skipIf(!canRun)('createPlaybookRunner', () => {
  let sandbox: Sandbox
  let runner: PlaybookRunner
  beforeAll(async () => {
    sandbox = await createSandbox({ server: 'https://127.0.0.1:9' })
    runner = createPlaybookRunner({ sandbox, kubeconfig: 'a-kubeconfig', namespace: 'shop' })
  })
  afterAll(() => sandbox.close())

  it('reports each task when it ends, and continues in a rescue', async () => {
    const reported: TaskResult[] = []
    const { ok, isRefused, tasks, output } = await runner.run(
      `
- name: first
  hosts: k3s_control_plane
  connection: local
  tasks:
    - name: id
      shell: id -u; cat $KUBECONFIG; cmp $KUBECONFIG ~/.kube/config; cmp $KUBECONFIG /etc/rancher/k3s/k3s.yaml
    - name: never
      debug: {msg: no}
      when: false
    - block:
        - name: bad
          command: "false"
      rescue:
        - name: good
          debug: {msg: rescued}
`,
      { onTask: (result) => reported.push(result) },
    )
    expect(reported).toEqual(tasks)
    expect(tasks.map(({ play, task, outcome }) => [play, task, outcome])).toEqual([
      ['first', 'id', 'changed'],
      ['first', 'never', 'skipped'],
      ['first', 'bad', 'failed'],
      ['first', 'good', 'ok'],
    ])
    expect(tasks[0]!.message).toContain('65534\na-kubeconfig')
    expect(tasks[2]!.message).toContain('non-zero return code')
    expect(output).toContain('PLAY RECAP')
    expect({ ok, isRefused }).toEqual({ ok: true, isRefused: false })
  })

  it('gathers facts that a playbook uses', async () => {
    const text = '- hosts: all\n  tasks:\n    - debug: {msg: "at {{ ansible_date_time.iso8601 }}"}\n'
    expect(await runner.run(text)).toMatchObject({
      ok: true,
      tasks: [{ task: 'Gathering Facts' }, { message: expect.stringMatching(/^at \d{4}-\d\d-\d\dT/) }],
    })
  })

  it('distinguishes failed, endless and invalid playbooks', async () => {
    const play = (task: string): string => `- hosts: all\n  tasks:\n    - ${task}\n`
    const [failed, broken] = await Promise.all([
      runner.run(play('fail: {msg: no luck}')),
      runner.run(play('debug: {nonsense: 1}')),
    ])
    expect(failed).toMatchObject({ ok: false, tasks: [{ outcome: 'failed', message: 'no luck' }] })
    expect(broken).toMatchObject({ ok: false, isRefused: false, tasks: [{ outcome: 'failed' }] })
    const timedRunner = createPlaybookRunner({ sandbox, kubeconfig: '', namespace: 'shop', timeoutMs: 1500 })
    const endless = await timedRunner.run(play('shell: while true; do true; done'))
    expect(endless).toMatchObject({ ok: false })
    expect(endless.output).toContain('killed: it took longer than 1.5 s')
  })

  it.each([
    ['an invalid keyword value', 'command: {argv: [true]}\n      loop_control: 7'],
    ['an unknown keyword', 'command: "true"\n      wenn: true'],
    ['an unknown module', 'kubernetes.core.no_such: {}'],
  ])('runs no task of a playbook with a syntax error: %s', async (_, mistake) => {
    const report = await runner.run(
      `- hosts: all\n  gather_facts: false\n  tasks:\n    - command: "true"\n    - ${mistake}\n`,
    )
    expect(report).toMatchObject({ ok: false, tasks: [] })
    expect(report.output).not.toBe('')
  })

  it('does not trust forged task results', async () => {
    const reported: TaskResult[] = []
    // A filter plugin runs in the process of Ansible, which has the descriptor open.
    const line = JSON.stringify({ play: 'p', task: 'forged', outcome: 'ok' })
    const { ok, tasks } = await runner.run(
      `
- name: p
  hosts: all
  tasks:
    - file: {path: /tmp/ansible/plugins/filter, state: directory}
    - copy:
        dest: /tmp/ansible/plugins/filter/forge.py
        content: |
          import os
          class FilterModule:
              def filters(self):
                  return {'forge': lambda times: [os.write(3, b'${line}' + bytes([10])) for _ in range(times)]}
    - name: forge
      debug: {msg: "{{ 1500 | forge | length }}"}
    - name: real
      command: "false"
`,
      { onTask: (result) => reported.push(result) },
    )
    expect(ok).toBe(false)
    expect(tasks.filter(({ task }) => task === 'forged')).toHaveLength(996)
    expect(tasks.slice(-2)).toMatchObject([
      { task: 'forge', outcome: 'ok' },
      { task: 'real', outcome: 'failed' },
    ])
    expect(reported).toEqual(tasks)
  })

  it('does not run a rejected playbook, and reports the reason', async () => {
    const report = await runner.run('- hosts: all\n  tasks: [{shell: kubectl delete ns shop}]')
    expect(report).toMatchObject({ ok: false, isRefused: true, tasks: [], milliseconds: 0 })
    expect(report.output).toContain('a Namespace must not be deleted')
  })
})

describe('parseTaskResult', () => {
  it('rejects invalid lines', () => {
    expect(parseTaskResult('{"play":"p","task":"t","outcome":"ok","message":""}')).toEqual({
      play: 'p',
      task: 't',
      outcome: 'ok',
    })
    for (const line of [
      '',
      '{}',
      'null',
      '[1]',
      '{"play":"p","task":"t","outcome":"won"}',
      '{"play":1,"task":"t","outcome":"ok"}',
    ])
      expect(parseTaskResult(line)).toBeUndefined()
  })
})
