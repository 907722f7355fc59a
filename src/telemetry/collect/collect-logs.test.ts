/** Tests of following what containers print. */
import { expect, it } from 'vitest'
import type { ApiObject, LogLine } from '../../spec/index.ts'
import { type FakePodChoices, fakePod } from '../testing/fake-pod.ts'
import { createLogCollector, type FollowLogs } from './collect-logs.ts'
import { toPodState } from './pod-index.ts'

const podWith = (choices: FakePodChoices = {}) => {
  const pod = fakePod('cart-0', 'cart', choices) as ApiObject
  return toPodState({ ...pod, metadata: { ...pod.metadata, uid: 'u' } })
}

const setUp = () => {
  const lines: LogLine[] = []
  const followed: { say(text: string): void; end(): void; stopped: boolean }[] = []
  const follow: FollowLogs = (_pod, _container, { onChunk, onEnd }) => {
    const one = { say: (text: string) => onChunk(Buffer.from(text)), end: onEnd, stopped: false }
    followed.push(one)
    return () => {
      one.stopped = true
    }
  }
  return { lines, followed, collector: createLogCollector(follow, (some) => lines.push(...some)) }
}

it('follows each run of a container once, and reads time and severity from its lines', () => {
  const { lines, followed, collector } = setUp()
  collector.notice(podWith())
  collector.notice(podWith({ ready: false }))
  expect(followed).toHaveLength(1)
  followed[0]!.say('2026-11-15T09:00:00.123000001Z ERROR: no\n2026-11-15T09:00:00.123000002Z  in')
  followed[0]!.say('dented\nno stamp\n')
  expect(lines).toEqual([
    {
      time: Date.UTC(2026, 10, 15, 9, 0, 0, 123),
      namespace: 'shop',
      service: 'cart',
      pod: 'cart-0',
      container: 'server',
      severity: 'error',
      text: 'ERROR: no',
    },
    expect.objectContaining({ text: ' indented', severity: 'info' }),
  ])
  collector.notice(podWith({ restarts: 1, containerId: 'containerd://2' }))
  expect(followed).toHaveLength(2)
})

it('does not take a line twice that is read again', () => {
  const { lines, followed, collector } = setUp()
  collector.notice(podWith())
  followed[0]!.say('2026-11-15T09:00:00.000000001Z a\n2026-11-15T09:00:00.000000002Z b\n')
  collector.notice(podWith({ containerId: 'containerd://2' }))
  followed[1]!.say('2026-11-15T09:00:00.000000002Z b\n2026-11-15T09:00:00.000000003Z c\n')
  expect(lines.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
})

it('ends those that go on, and forgets pods that have gone', () => {
  const { followed, collector } = setUp()
  collector.notice(podWith())
  followed[0]!.end()
  collector.forget(podWith())
  collector.notice(podWith())
  expect(followed).toHaveLength(2)
  collector.close()
  expect(followed.map(({ stopped }) => stopped)).toEqual([false, true])
})

it('waits for a container to be made, and follows one that has ended already', () => {
  const { followed, collector } = setUp()
  collector.notice(podWith({ waiting: 'ContainerCreating', containerId: '' }))
  expect(followed).toHaveLength(0)
  collector.notice(podWith({ waiting: 'CrashLoopBackOff', restarts: 1 }))
  expect(followed).toHaveLength(1)
})

it('hears no more of a container in a second than it can bear, and counts the rest', () => {
  const { lines, followed, collector } = setUp()
  collector.notice(podWith())
  const shout = (second: number): string =>
    Array.from(
      { length: 3000 },
      (_, n) => `2026-11-15T09:00:0${second}.${String(n).padStart(9, '0')}Z again and again\n`,
    ).join('')
  followed[0]!.say(shout(0))
  expect([lines.length, collector.dropped()]).toEqual([2000, 1000])
  followed[0]!.say(shout(1))
  expect([lines.length, collector.dropped()]).toEqual([4000, 2000])
})

it('keeps the beginning of a line that is too long', () => {
  const { lines, followed, collector } = setUp()
  collector.notice(podWith())
  followed[0]!.say(`2026-11-15T09:00:00.000000001Z ERROR ${'x'.repeat(100_000)}`)
  followed[0]!.say(`${'x'.repeat(900_000)}\n2026-11-15T09:00:00.000000002Z b\n`)
  expect(lines.map(({ text, severity }) => [text.slice(0, 7), text.length > 16_000, severity])).toEqual([
    ['ERROR x', true, 'error'],
    ['b', false, 'info'],
  ])
})
