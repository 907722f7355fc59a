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

  it('that grows by references of references is refused', () => {
    const lines = Array.from({ length: 30 }, (_, index) =>
      index === 0 ? 'a0: &a0 [x, x]' : `a${index}: &a${index} [*a${index - 1}, *a${index - 1}]`,
    )
    expect(mistakeOf(`- hosts: all\n  vars:\n${lines.map((line) => `    ${line}`).join('\n')}`)).toContain(
      'would grow without end',
    )
  })

  it('that is larger than any hand writes is refused', () => {
    expect(mistakeOf(`- hosts: all\n  x: ${'y'.repeat(300_000)}`)).toContain('256 KiB are allowed')
    const many = Array.from({ length: 600 }, () => '    - debug: {}').join('\n')
    expect(mistakeOf(`- hosts: all\n  tasks:\n${many}`)).toContain('more than 500 tasks')
  })
})
