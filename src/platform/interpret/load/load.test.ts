/** Tests how playbooks are read: YAML as PyYAML reads it, and arguments in all their forms. */
import { describe, expect, it } from 'vitest'
import { readAnsibleYaml } from '../yaml/read-ansible-yaml.ts'
import { loadPlaybook } from './load-playbook.ts'
import type { Block, Task } from './playbook-tree.ts'
import { parseArguments } from './split-arguments.ts'

const taskOf = (text: string): Task =>
  loadPlaybook(`- hosts: all\n  tasks:\n    - ${text}\n`, 'p.yml')[0]!.tasks[0] as Task

describe('readAnsibleYaml', () => {
  it.each([
    ['[y, n, yes, Off, True]', ['y', 'n', true, false, true]],
    ['[1e3, 1.5, 010, 0x1F, 1_000, 1:30]', ['1e3', 1.5, 8, 31, 1000, 90]],
    ['[~, null, "", Null]', [null, null, '', null]],
    ['{a: 1, on: 2}', { a: 1, true: 2 }],
    ['["1", !!str 1, a#b]', ['1', '1', 'a#b']],
    ['x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}', { x: { a: 1, b: 2 }, y: { a: 1, b: 3 } }],
    ['{a: 1, a: 2}', { a: 2 }],
  ])('%s', (text, value) => {
    expect(readAnsibleYaml(text).documents).toEqual([value])
  })

  it('rejects values that it cannot represent', () => {
    expect(() => readAnsibleYaml('a: 2026-01-01')).toThrow('the date 2026-01-01 without quotes')
    expect(() => readAnsibleYaml('a: 1.0')).toThrow('a whole number of type float')
    expect(() => readAnsibleYaml('a: !vault x')).toThrow('the YAML tag !vault in line 1')
    expect(() => readAnsibleYaml('a: {{ b }}')).toThrow('found unhashable key')
  })
})

describe('parseArguments', () => {
  it.each([
    ['src=a dest="b c"', false, { src: 'a', dest: 'b c' }],
    ['echo "a b"  c=d', true, { _raw_params: 'echo "a b"  c=d' }],
    ['chdir=/tmp ls -l', true, { chdir: '/tmp', _raw_params: 'ls -l' }],
    ['kubectl get -l app={{ a b }} x', true, { _raw_params: 'kubectl get -l app={{ a b }} x' }],
    ['a \\\n  b\nc', true, { _raw_params: 'a  b\nc' }],
    ['msg={{ a | b }}', false, { msg: '{{ a | b }}' }],
  ])('%s', (text, isCommand, args) => {
    expect(parseArguments(text, isCommand)).toEqual(args)
  })
})

describe('loadPlaybook', () => {
  it.each([
    ['shell: echo hi', 'ansible.builtin.shell', { _raw_params: 'echo hi' }],
    ['command: {cmd: echo hi}', 'ansible.builtin.command', { _raw_params: 'echo hi' }],
    [
      '{command: echo hi, args: {stdin: x}}',
      'ansible.builtin.command',
      { _raw_params: 'echo hi', stdin: 'x' },
    ],
    ['action: debug msg=hi', 'ansible.builtin.debug', { msg: 'hi' }],
    ['{action: {module: debug, msg: hi}}', 'ansible.builtin.debug', { msg: 'hi' }],
    ['k8s_info: kind=Pod name=a', 'kubernetes.core.k8s_info', { kind: 'Pod', name: 'a' }],
    ['k8s: "{{ x }}"', 'kubernetes.core.k8s', { _variable_params: '{{ x }}' }],
    ['ansible.builtin.meta: noop', 'ansible.builtin.meta', { _raw_params: 'noop' }],
  ])('reads the arguments of %s', (text, module, args) => {
    expect(taskOf(text)).toMatchObject({ module, args })
  })

  it('passes keywords from plays and blocks to tasks', () => {
    const [play] = loadPlaybook(
      `- hosts: all
  ignore_errors: true
  collections: [kubernetes.core]
  tasks:
    - when: a
      vars: {x: 1, y: 1}
      block:
        - {k8s_exec: {}, when: [b, c], vars: {y: 2}, ignore_errors: false}
`,
      'p.yml',
    )
    const block = play!.tasks[0] as Block
    expect(block.block[0]).toMatchObject({
      module: 'kubernetes.core.k8s_exec',
      inherited: { when: ['a', 'b', 'c'], vars: { x: 1, y: 2 }, ignoreErrors: false },
    })
  })
})
