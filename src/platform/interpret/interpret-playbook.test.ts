/** Tests the control flow of playbooks. The expected reports are those of Ansible 2.14 for the same plays. */
import { describe, expect, it } from 'vitest'
import { createInterpretedCluster, outcomesOf } from './testing/interpreted-cluster.ts'

describe('interpretPlaybook', () => {
  it('reports errors of Python in arguments without a message, and continues a loop after them', async () => {
    const { play } = createInterpretedCluster()
    const { tasks } = await play(`
- name: argument
  debug: {msg: "{{ 1 / 0 }}"}
  ignore_errors: true
- name: loop
  debug: {msg: "{{ 1 / 0 }}"}
  loop: [1, 2]
  register: r
  ignore_errors: true
- debug: {msg: "{{ r.results }}"}
- name: items
  debug: {msg: x}
  loop: "{{ 1 / 0 }}"
`)
    expect(tasks.map(({ task, outcome, message }) => [task, outcome, message])).toMatchObject([
      ['argument', 'failed', undefined],
      ['loop', 'failed', expect.anything()],
      ['debug', 'ok', expect.stringMatching(/"item": 1.*"item": 2/)],
      ['items', 'failed', 'Unexpected failure during module execution: division by zero'],
    ])
  })

  it('prints and reports tasks as ansible-playbook does', async () => {
    const { play } = createInterpretedCluster()
    const report = await play(`
- name: loop {{ b }}
  debug: {msg: "i {{ item }}"}
  loop: [1, 2]
  register: r
  vars: {a: 1, b: "{{ a }}x"}
- name: skip
  debug: {msg: x}
  when: r.skipped
- fail: {msg: no}
  ignore_errors: true
- debug: {var: nowhere}
- set_fact: {z: "{{ r.msg }}", y: "yes"}
- debug: {msg: [1, {k: "{{ z }}", y: "{{ y }}"}]}
- name: last
  fail:
- debug: {msg: never}
`)
    expect(report).toMatchObject({ ok: false, outcome: 'failed', isRefused: false, findings: [] })
    expect(report.tasks).toEqual([
      { play: 'localhost', task: 'loop {{ b }}', outcome: 'ok', message: 'i 1\ni 2' },
      { play: 'localhost', task: 'skip', outcome: 'skipped', message: 'Conditional result was False' },
      { play: 'localhost', task: 'fail', outcome: 'failed', message: 'false' },
      { play: 'localhost', task: 'debug', outcome: 'ok' },
      { play: 'localhost', task: 'set_fact', outcome: 'ok' },
      {
        play: 'localhost',
        task: 'debug',
        outcome: 'ok',
        message: '[1, {"k": "All items completed", "y": true}]',
      },
      { play: 'localhost', task: 'last', outcome: 'failed', message: 'Failed as requested from task' },
    ])
    expect(report.output).toBe(`
PLAY [localhost] ***************************************************************

TASK [loop 1x] *****************************************************************
ok: [localhost] => (item=1) => {
    "msg": "i 1"
}
ok: [localhost] => (item=2) => {
    "msg": "i 2"
}

TASK [skip] ********************************************************************
skipping: [localhost]

TASK [fail] ********************************************************************
fatal: [localhost]: FAILED! => {"changed": false, "msg": false}
...ignoring

TASK [debug] *******************************************************************
ok: [localhost] => {
    "nowhere": "VARIABLE IS NOT DEFINED!"
}

TASK [set_fact] ****************************************************************
ok: [localhost]

TASK [debug] *******************************************************************
ok: [localhost] => {
    "msg": [
        1,
        {
            "k": "All items completed",
            "y": true
        }
    ]
}

TASK [last] ********************************************************************
fatal: [localhost]: FAILED! => {"changed": false, "msg": "Failed as requested from task"}

PLAY RECAP *********************************************************************
localhost                  : ok=5    changed=0    unreachable=0    failed=1    skipped=1    rescued=0    ignored=1   

`)
  })

  it('rescues failures, and always runs the `always` part of a block', async () => {
    const { play } = createInterpretedCluster()
    const report = await play(`
- block:
    - {name: bad, fail: {msg: broken}}
    - {name: never, debug: {}}
  rescue:
    - {name: rescue, debug: {msg: "{{ ansible_failed_task.name }} {{ ansible_failed_result.msg }}"}}
  always:
    - {name: always, debug: {}}
- {name: after, debug: {}}
`)
    expect(outcomesOf(report)).toEqual(['failed: bad', 'ok: rescue', 'ok: always', 'ok: after'])
    expect(report.tasks[1]!.message).toBe('bad broken')
    expect(report.ok).toBe(true)
    expect(report.output).toContain('failed=0    skipped=0    rescued=1    ignored=0')
  })

  it('fails the play if a rescue fails, after the `always` part has run', async () => {
    const { play } = createInterpretedCluster()
    const report = await play(`
- block:
    - {name: bad, fail: }
  rescue:
    - {name: worse, fail: }
  always:
    - {name: always, debug: {}}
- {name: after, debug: {}}
`)
    expect(outcomesOf(report)).toEqual(['failed: bad', 'failed: worse', 'ok: always'])
    expect(report.ok).toBe(false)
  })

  it('runs no later play after a failure', async () => {
    const { play } = createInterpretedCluster()
    const report = await play('- hosts: all\n  tasks: [{fail: }]\n- hosts: all\n  tasks: [{debug: {}}]\n')
    expect(outcomesOf(report)).toEqual(['failed: fail'])
  })

  it('repeats a task until its condition holds, with the delay between attempts', async () => {
    const { play, clock } = createInterpretedCluster()
    const start = clock.now()
    const report = await play(`
- fail: {msg: again}
  register: r
  until: not r.failed
  retries: 2
  delay: 10
  ignore_errors: true
- debug: {msg: "{{ r.attempts }}"}
`)
    expect(outcomesOf(report)).toEqual(['failed: fail', 'ok: debug'])
    expect(report.tasks[1]!.message).toBe('2')
    expect(report.output).toContain(
      'FAILED - RETRYING: [localhost]: fail (2 retries left).\nFAILED - RETRYING',
    )
    expect(clock.now() - start).toBeGreaterThan(20_000)
    expect(clock.now() - start).toBeLessThan(21_000)
  })

  it('runs handlers that changed tasks notify, once, in the order of their definition', async () => {
    const { play } = createInterpretedCluster()
    const report = await play(`- hosts: all
  handlers:
    - {name: second, debug: {}}
    - {name: first, debug: {}, listen: topic}
  tasks:
    - {name: a, debug: {}, changed_when: true, notify: [topic, second]}
    - {name: b, debug: {}, notify: unknown}
    - meta: flush_handlers
    - {name: c, debug: {}, changed_when: true, notify: second}
`)
    expect(outcomesOf(report)).toEqual([
      ...['changed: a', 'ok: b', 'ok: second', 'ok: first', 'changed: c', 'ok: second'],
    ])
    expect(report.output).toContain('RUNNING HANDLER [first]')
  })

  it('aborts the playbook if a handler is unknown', async () => {
    const { play } = createInterpretedCluster()
    const report = await play('- {debug: {}, changed_when: true, notify: unknown}')
    expect(report).toMatchObject({ ok: false, outcome: 'failed', tasks: [] })
    expect(report.output).toContain("ERROR! The requested handler 'unknown' was not found")
  })

  it('ends the play at end_play without a failure', async () => {
    const { play } = createInterpretedCluster()
    const report = await play(
      '- meta: end_play\n  when: nowhere is defined\n- debug: {}\n- meta: end_play\n- debug: {}\n',
    )
    expect(outcomesOf(report)).toEqual(['skipped: meta', 'ok: debug'])
    expect(report.ok).toBe(true)
  })

  it('reports the position of an undefined variable', async () => {
    const { play } = createInterpretedCluster()
    const { tasks } = await play(
      '- debug: {msg: "{{ nowhere }}"}\n  ignore_errors: true\n- debug: {}\n  when: nowhere == 1\n',
    )
    expect(tasks.map(({ message }) => message)).toEqual([
      "The task includes an option with an undefined variable. The error was: 'nowhere' is undefined. 'nowhere' is undefined\n\nThe error appears to be in '/input/playbook.yml': line 4, column 7, but may\nbe elsewhere in the file depending on the exact syntax problem.\n\nThe offending line appears to be:\n\n  tasks:\n    - debug: {msg: \"{{ nowhere }}\"}\n      ^ here",
      "The conditional check 'nowhere == 1' failed. The error was: error while evaluating conditional (nowhere == 1): 'nowhere' is undefined. 'nowhere' is undefined\n\nThe error appears to be in '/input/playbook.yml': line 6, column 7, but may\nbe elsewhere in the file depending on the exact syntax problem.\n\nThe offending line appears to be:\n\n      ignore_errors: true\n    - debug: {}\n      ^ here",
    ])
  })

  it.each([
    ['an unknown keyword', '- {debug: {}, wenn: true}', "'wenn' is not a valid attribute for a Task"],
    ['two modules', '- {debug: {}, ping: }', 'conflicting action statements: debug, ping'],
    ['no module', '- {name: nothing}', 'no module/action detected in task.'],
    [
      'a collection that is not installed',
      '- {community.kubernetes.k8s: {}}',
      "couldn't resolve module/action",
    ],
    ['a module without its collection', '- {k8s_exec: {}}', "couldn't resolve module/action 'k8s_exec'"],
    [
      'a zero byte',
      '- debug: {msg: "\0"}',
      'Syntax Error while loading YAML.\n  unacceptable character #x0000',
    ],
    ['an unquoted expression', '- debug: {msg: {{ x }}}', 'Syntax Error while loading YAML'],
  ])('runs no task of a playbook with a mistake: %s', async (_, task, message) => {
    const { play } = createInterpretedCluster()
    const report = await play(`- debug: {}\n${task}\n`)
    expect(report).toMatchObject({ ok: false, outcome: 'failed', tasks: [] })
    expect(report.output).toContain(`ERROR! ${message}`)
  })

  it.each([
    ['a module', '- uri: {url: http://x/}', 'the module ansible.builtin.uri'],
    ['roles', '- hosts: all\n  roles: [x]\n', 'roles of a play'],
    ['an asynchronous task', '- {debug: {}, async: 10}', 'async in a task'],
    ['another host', '- {debug: {}, delegate_to: web1}', 'delegate_to: web1'],
    [
      'a template',
      '- debug: {msg: "{{ a | b }}"}',
      'the template {"msg":"{{ a | b }}"} (the expression a | b)',
    ],
    ['a date', '- debug: {msg: 2026-01-01}', 'the date 2026-01-01 without quotes'],
    [
      'a fact of the machine',
      '- hosts: all\n  tasks: [{debug: {msg: "{{ ansible_hostname }}"}}]\n',
      'the fact ansible_hostname',
    ],
    ['a loop plugin', '- {debug: {}, with_sequence: count=3}', 'with_sequence'],
    [
      'other credentials',
      '- k8s_info: {kind: Pod, host: https://x}',
      'the option host of a Kubernetes module',
    ],
  ])('ends as unsupported: %s', async (_, task, reason) => {
    const { play } = createInterpretedCluster()
    expect(await play(`${task}\n`)).toMatchObject({ ok: false, outcome: 'unsupported', unsupported: reason })
  })

  it('kills a playbook that takes too long', async () => {
    const { play, clock } = createInterpretedCluster({ timeoutMs: 120_000 })
    const start = clock.now()
    const report = await play('- debug: {}\n- pause: {minutes: 999}\n- debug: {}\n')
    expect(report).toMatchObject({ ok: false, outcome: 'failed', milliseconds: 120_000 })
    expect(report.output).toMatch(/Pausing for 59940 seconds[\s\S]*\nkilled: it took longer than 120 s\n$/)
    expect(clock.now() - start).toBe(120_000)
  })

  it('gathers facts only if the playbook uses one', async () => {
    const { play } = createInterpretedCluster()
    const report = await play('- hosts: all\n  tasks: [{debug: {msg: "{{ ansible_date_time.iso8601 }}"}}]\n')
    expect(outcomesOf(report)).toEqual(['ok: Gathering Facts', 'ok: debug'])
    expect(report.tasks[1]!.message).toMatch(/^2026-01-05T10:01:0\dZ$/)
    expect(outcomesOf(await play('- hosts: all\n  tasks: [{debug: {}}]\n'))).toEqual(['ok: debug'])
  })

  it('skips tasks that are tagged never, and ignores other tags', async () => {
    const { play } = createInterpretedCluster()
    const report = await play('- {name: a, debug: {}, tags: never}\n- {name: b, debug: {}, tags: [deploy]}\n')
    expect(outcomesOf(report)).toEqual(['ok: b'])
  })

  it('matches no host that the inventory lacks', async () => {
    const { play } = createInterpretedCluster()
    const report = await play('- hosts: db1\n  tasks: [{debug: {}}]\n')
    expect(report).toMatchObject({ ok: true, tasks: [] })
    expect(report.output).toContain('[WARNING]: Could not match supplied host pattern, ignoring: db1')
    expect(report.output).toContain('skipping: no hosts matched')
  })
})
