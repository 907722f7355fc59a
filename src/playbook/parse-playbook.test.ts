/** Playbooks of strangers: broken, huge and bottomless ones get one clear sentence, soon. */
import { describe, expect, it } from 'vitest'
import { parsePlaybook } from './parse-playbook.ts'

const mistakeOf = (text: string): string => {
  const parsed = parsePlaybook(text)
  return 'mistake' in parsed ? parsed.mistake : `no mistake: ${JSON.stringify(parsed.plays)}`
}

describe('a playbook', () => {
  it('gives its tasks, those of blocks and handlers too', () => {
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
    expect(play!.blocks.map(({ place }) => place)).toEqual([
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
    ['just words', 'The playbook is string: a playbook is a list of plays'],
    ['hosts: all', 'The playbook is object: a playbook is a list'],
    ['[]', 'The playbook has no play'],
    ['- hosts: [', 'The playbook is no YAML: line 1'],
    ['- a: "x\n', 'The playbook is no YAML'],
    ['- hosts: all\n---\n- hosts: all', 'a second document begins'],
    ['- 7', 'play 1 must be a map'],
    ['- hosts: all\n  tasks: 3', '"tasks" of play 1 must be a list of tasks'],
    ['- hosts: all\n  tasks: [debug]', 'Task 1 of play 1 must be a map with a module in it, not string'],
    ['\0', 'zero bytes'],
  ])('that is %j is told what is wrong', (text, expected) => {
    expect(mistakeOf(text)).toContain(expected)
  })

  it.each([
    ['brackets', '['.repeat(200_000)],
    ['closed brackets', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['maps', '{a: '.repeat(50_000)],
    ['lists', `${'- '.repeat(100_000)}x`],
    ['indented maps', Array.from({ length: 700 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('nested in %s without end is refused at once', (_, text) => {
    const began = performance.now()
    expect(mistakeOf(text)).toMatch(/nested too deeply|no YAML/)
    expect(performance.now() - began).toBeLessThan(5000)
  })

  const doubling = (of: (one: string) => string): string =>
    Array.from({ length: 30 }, (_, at) => `    a${at + 1}: &a${at + 1} ${of(`*a${at}`)}`).join('\n')
  const vars = (text: string): string => `- hosts: all\n  vars:\n${text}\n`
  it.each([
    [
      'references of references',
      vars(`    a0: &a0 [x]\n${doubling((one) => `[${one}, ${one}]`)}`),
      'grow to',
    ],
    [
      'merges of merges',
      vars(`    a0: &a0 {x: 1}\n${doubling((one) => `{<<: [${one}, ${one}]}`)}`),
      'grow to',
    ],
    ['a long text', vars(`    a: &a ${'x'.repeat(20_000)}\n    b: [${'*a,'.repeat(100)}]`), 'grow to'],
    ['a list in itself', `- &a [${'1,'.repeat(40_000)}*a]`, '*a refers to what it is a part of'],
    [
      'a list in itself again and again',
      `- &a [${'*a,'.repeat(5000)}1]`,
      '*a refers to what it is a part of',
    ],
    ['a map in itself', '- &a {<<: *a}', '*a refers to what it is a part of'],
    [
      'a list in the next',
      `- &a0 [x]\n${Array.from({ length: 3000 }, (_, at) => `- &a${at + 1} [*a${at}]\n- *a${at + 1}`).join('\n')}`,
      'nested too deeply',
    ],
    ['one thing again and again', `- &a x\n${'- *a\n'.repeat(3000)}`, 'more than 200 references'],
    [
      'keys in keys',
      `- ${'{'.repeat(60)}${'a: 1,'.repeat(2000)}${'}'.repeat(60)}`,
      'a key of more than 50 values',
    ],
    ['what is not there', '- hosts: *nobody', '*nobody refers to nothing that stands before it'],
  ])('that refers without end is refused: %s', (_, text, expected) => {
    expect(mistakeOf(text)).toContain(expected)
  })

  it('may refer to what stands before it', () => {
    const parsed = parsePlaybook(
      '- hosts: &all all\n  vars: &v {a: 1}\n- {hosts: *all, vars: {<<: *v, b: 2}}',
    )
    expect('plays' in parsed && parsed.plays.map(({ fields }) => fields)).toEqual([
      { hosts: 'all', vars: { a: 1 } },
      { hosts: 'all', vars: { a: 1, b: 2 } },
    ])
  })

  it('that is larger than any hand writes is refused', () => {
    expect(mistakeOf(`- hosts: all\n  x: ${'y'.repeat(300_000)}`)).toContain('256 KiB are allowed')
    const many = Array.from({ length: 600 }, () => '    - debug: {}').join('\n')
    expect(mistakeOf(`- hosts: all\n  tasks:\n${many}`)).toContain('more than 500 tasks')
    const plays = (tasks: number): string =>
      `- hosts: all\n  tasks:\n${'    - debug: {}\n'.repeat(tasks)}`.repeat(5)
    expect('plays' in parsePlaybook(plays(100))).toBe(true)
    expect(mistakeOf(plays(101))).toContain('more than 500 tasks')
  })
})
