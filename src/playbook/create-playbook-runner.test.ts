/** Playbooks of strangers under the real Ansible, in a sandbox: what is told of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findExecutable } from '../kit/index.ts'
import { createSandbox, type Sandbox } from '../sandbox/index.ts'
import { createPlaybookRunner, type PlaybookRunner } from './create-playbook-runner.ts'
import { findAnsiblePlaybook } from './find-ansible.ts'
import { parseTaskResult, type TaskResult } from './task-reporter.ts'

const canRun =
  process.getuid?.() === 0 && findExecutable('runc') !== undefined && findAnsiblePlaybook() !== undefined

describe.skipIf(!canRun)('a playbook in a sandbox', () => {
  let sandbox: Sandbox
  let runner: PlaybookRunner
  beforeAll(async () => {
    sandbox = await createSandbox({ server: 'https://127.0.0.1:9' })
    runner = createPlaybookRunner({ sandbox, kubeconfig: 'a-kubeconfig', namespace: 'shop' })
  })
  afterAll(() => sandbox.close())

  it('tells of each task as it ends, and goes on in a rescue', async () => {
    const told: TaskResult[] = []
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
      { onTask: (result) => told.push(result) },
    )
    expect(told).toEqual(tasks)
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

  it('that names facts has them, though its play does not ask for them', async () => {
    const text = '- hosts: all\n  tasks:\n    - debug: {msg: "at {{ ansible_date_time.iso8601 }}"}\n'
    expect(await runner.run(text)).toMatchObject({
      ok: true,
      tasks: [{ task: 'Gathering Facts' }, { message: expect.stringMatching(/^at \d{4}-\d\d-\d\dT/) }],
    })
  })

  it('that fails, that never ends, and that Ansible does not understand are told apart', async () => {
    const play = (task: string): string => `- hosts: all\n  tasks:\n    - ${task}\n`
    const [failed, broken] = await Promise.all([
      runner.run(play('fail: {msg: no luck}')),
      runner.run(play('debug: {nonsense: 1}')),
    ])
    expect(failed).toMatchObject({ ok: false, tasks: [{ outcome: 'failed', message: 'no luck' }] })
    expect(broken).toMatchObject({ ok: false, isRefused: false, tasks: [{ outcome: 'failed' }] })
    const brief = createPlaybookRunner({ sandbox, kubeconfig: '', namespace: 'shop', timeoutMs: 1500 })
    const endless = await brief.run(play('shell: while true; do true; done'))
    expect(endless).toMatchObject({ ok: false })
    expect(endless.output).toContain('ended by force: it took longer than 1.5 s')
  })

  it.each([
    ['a task of several lines that are no arguments', 'command: {argv: [true]}\n      loop_control: 7'],
    ['a word that no task has', 'command: "true"\n      wenn: true'],
    ['a module that there is not', 'kubernetes.core.no_such: {}'],
  ])('with a mistake of syntax behind a good task runs no task: %s', async (_, mistake) => {
    const report = await runner.run(
      `- hosts: all\n  gather_facts: false\n  tasks:\n    - command: "true"\n    - ${mistake}\n`,
    )
    expect(report).toMatchObject({ ok: false, tasks: [] })
    expect(report.output).not.toBe('')
  })

  it('that forges what is told of its tasks does not change what came of it', async () => {
    const told: TaskResult[] = []
    // What a filter of its own does is done by Ansible itself, which holds the descriptor.
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
      { onTask: (result) => told.push(result) },
    )
    expect(ok).toBe(false)
    expect(tasks.filter(({ task }) => task === 'forged')).toHaveLength(996)
    expect(tasks.slice(-2)).toMatchObject([
      { task: 'forge', outcome: 'ok' },
      { task: 'real', outcome: 'failed' },
    ])
    expect(told).toEqual(tasks)
  })

  it('that is refused is not run, and says why', async () => {
    const report = await runner.run('- hosts: all\n  tasks: [{shell: kubectl delete ns shop}]')
    expect(report).toMatchObject({ ok: false, isRefused: true, tasks: [], milliseconds: 0 })
    expect(report.output).toContain('Namespaces are never deleted')
  })
})

describe('what a callback tells', () => {
  it('is believed only in form', () => {
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
