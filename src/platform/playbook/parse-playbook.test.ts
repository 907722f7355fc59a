/** Tests that invalid, huge and deeply nested playbooks are rejected quickly with one clear sentence. */
import { describe, expect, it } from 'vitest'
import { parsePlaybook } from './parse-playbook.ts'

const mistakeOf = (text: string): string => {
  const parsed = parsePlaybook(text)
  return 'mistake' in parsed ? parsed.mistake : `no mistake: ${JSON.stringify(parsed.plays)}`
}

describe('parsePlaybook', () => {
  it('returns all tasks, including those of blocks and handlers', () => {
    const parsed = parsePlaybook(`
- hosts: all
  become: no
  pre_tasks: [{debug: {msg: 1}}]
  tasks:
    - name: both
      block:
        - k8s: {state: present}
        - block: [{shell: kubectl get pods}]
      rescue: [{fail: {msg: x}}]
      always:
        - action: debug msg=hi
        - local_action: {module: set_fact, a: 1}
  handlers:
    - ansible.builtin.command: "true"
      args: {chdir: /tmp}
`)
    if ('mistake' in parsed) throw new Error(parsed.mistake)
    const [play] = parsed.plays
    expect(play!.fields.become).toBe(false)
    expect(play!.blocks.map(({ location }) => location)).toEqual([
      'the block "both" of play 1',
      'the block of play 1',
    ])
    expect(play!.tasks.map(({ module, args }) => [module, args])).toEqual([
      ['debug', { msg: 1 }],
      ['k8s', { state: 'present' }],
      ['shell', 'kubectl get pods'],
      ['fail', { msg: 'x' }],
      ['debug', 'msg=hi'],
      ['set_fact', { a: 1 }],
      ['ansible.builtin.command', { chdir: '/tmp', _raw_params: 'true' }],
    ])
  })

  it.each([
    ['', 'The playbook is empty'],
    ['# nothing\n', 'The playbook is empty'],
    ['just words', 'The playbook is a string: a playbook is a list of plays'],
    ['hosts: all', 'The playbook is a map: a playbook is a list'],
    ['[]', 'The playbook has no plays'],
    ['- hosts: [', 'The playbook is not valid YAML: line 1'],
    ['- a: "x\n', 'The playbook is not valid YAML'],
    ['- hosts: all\n---\n- hosts: all', 'a second document begins'],
    ['- 7', 'Play 1 must be a map'],
    ['- hosts: all\n  tasks: 3', '"tasks" of play 1 must be a list of tasks'],
    ['- hosts: all\n  tasks: [debug]', 'Task 1 of play 1 must be a map that contains a module, not a string'],
    ['\0', 'zero bytes'],
  ])('reports the mistake in %j', (text, expected) => {
    expect(mistakeOf(text)).toContain(expected)
  })

  it.each([
    ['brackets', '['.repeat(200_000)],
    ['closed brackets', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['maps', '{a: '.repeat(50_000)],
    ['lists', `${'- '.repeat(100_000)}x`],
    ['indented maps', Array.from({ length: 700 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('rejects deeply nested %s quickly', (_, text) => {
    const startedAt = performance.now()
    expect(mistakeOf(text)).toMatch(/nested too deeply|not valid YAML/)
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })

  const repeatAliases = (toValue: (alias: string) => string): string =>
    Array.from({ length: 30 }, (_, n) => `    a${n + 1}: &a${n + 1} ${toValue(`*a${n}`)}`).join('\n')
  const playWithVariables = (text: string): string => `- hosts: all\n  vars:\n${text}\n`
  it.each([
    [
      'aliases of lists of aliases',
      playWithVariables(`    a0: &a0 [x]\n${repeatAliases((alias) => `[${alias}, ${alias}]`)}`),
      'with its aliases expanded',
    ],
    [
      'merged maps of merged maps',
      playWithVariables(`    a0: &a0 {x: 1}\n${repeatAliases((alias) => `{<<: [${alias}, ${alias}]}`)}`),
      'with its aliases expanded',
    ],
    [
      'a long text',
      playWithVariables(`    a: &a ${'x'.repeat(20_000)}\n    b: [${'*a,'.repeat(100)}]`),
      'with its aliases expanded',
    ],
    [
      'a list that contains itself',
      `- &a [${'1,'.repeat(40_000)}*a]`,
      '*a refers to a node that contains it',
    ],
    [
      'a list that contains itself many times',
      `- &a [${'*a,'.repeat(5000)}1]`,
      '*a refers to a node that contains it',
    ],
    ['a map that contains itself', '- &a {<<: *a}', '*a refers to a node that contains it'],
    [
      'lists nested in later lists',
      `- &a0 [x]\n${Array.from({ length: 3000 }, (_, index) => `- &a${index + 1} [*a${index}]\n- *a${index + 1}`).join('\n')}`,
      'nested too deeply',
    ],
    ['one alias many times', `- &a x\n${'- *a\n'.repeat(3000)}`, 'more than 200 aliases'],
    [
      'keys in keys',
      `- ${'{'.repeat(60)}${'a: 1,'.repeat(2000)}${'}'.repeat(60)}`,
      'a key with more than 50 values',
    ],
    ['an alias without an anchor', '- hosts: *missing', '*missing has no anchor before it'],
  ])('rejects excessive or invalid aliases: %s', (_, text, expected) => {
    expect(mistakeOf(text)).toContain(expected)
  })

  it('expands valid aliases', () => {
    const parsed = parsePlaybook(
      '- hosts: &all all\n  vars: &v {a: 1}\n- {hosts: *all, vars: {<<: *v, b: 2}}',
    )
    expect('plays' in parsed && parsed.plays.map(({ fields }) => fields)).toEqual([
      { hosts: 'all', vars: { a: 1 } },
      { hosts: 'all', vars: { a: 1, b: 2 } },
    ])
  })

  it('rejects playbooks above the size limits', () => {
    expect(mistakeOf(`- hosts: all\n  x: ${'y'.repeat(300_000)}`)).toContain('256 KiB are allowed')
    const manyTasks = Array.from({ length: 600 }, () => '    - debug: {}').join('\n')
    expect(mistakeOf(`- hosts: all\n  tasks:\n${manyTasks}`)).toContain('more than 500 tasks')
    const fivePlays = (tasks: number): string =>
      `- hosts: all\n  tasks:\n${'    - debug: {}\n'.repeat(tasks)}`.repeat(5)
    expect('plays' in parsePlaybook(fivePlays(100))).toBe(true)
    expect(mistakeOf(fivePlays(101))).toContain('more than 500 tasks')
  })
})
