/** Tests that programs in containers cannot pass for a stressor. */
import { expect, it } from 'vitest'
import { isStressor } from './is-stressor.ts'

const LEADER = 7
const STRESSOR = { parent: process.pid, name: 'nsenter', namespace: 'host' }

it.each([
  ['the program that encloses a stressor', STRESSOR, true],
  ['a program of a container that has its name', { ...STRESSOR, namespace: 'pod' }, false],
  ['a container runtime that starts a program', { ...STRESSOR, name: 'runc' }, false],
  ['a process of another engine', { ...STRESSOR, parent: process.pid + 1 }, false],
  ['a process that has ended', undefined, false],
])('a session is that of a stressor if its leader is one: %s', (_, leader, expected) => {
  const reader = {
    stateOf: (pid: number) => (pid === LEADER ? leader : undefined),
    namespaceOf: (pid: number) => (pid === LEADER ? leader?.namespace : 'host'),
  }
  expect(isStressor(LEADER, reader)).toBe(expected)
})
