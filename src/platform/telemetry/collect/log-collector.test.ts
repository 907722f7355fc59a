/** Tests of collecting container logs. */
import { expect, it } from 'vitest'
import type { ApiObject, LogLine } from '#spec'
import { type FakePodOptions, fakePod } from '../testing/fake-pod.ts'
import { createLogCollector, type FollowLogs, type LogCallbacks } from './log-collector.ts'
import { toPodState } from './pod-index.ts'
import { toLogLine } from './to-log-line.ts'

const podWith = (options: FakePodOptions = {}) => {
  const pod = fakePod('cart-0', 'cart', options) as ApiObject
  return toPodState({ ...pod, metadata: { ...pod.metadata, uid: 'u' } })
}

const setUp = () => {
  const lines: LogLine[] = []
  const streams: (LogCallbacks & { send(text: string): void; stopped: boolean })[] = []
  const follow: FollowLogs = (_pod, _container, callbacks) => {
    const send = (text: string): void => callbacks.onChunk(Buffer.from(text))
    const stream = { ...callbacks, send, stopped: false }
    streams.push(stream)
    return () => {
      stream.stopped = true
    }
  }
  return {
    lines,
    streams,
    collector: createLogCollector(follow, (batch) => lines.push(...batch.map(toLogLine))),
  }
}

it('follows each run of a container once, and reads time and severity from its lines', () => {
  const { lines, streams, collector } = setUp()
  collector.update(podWith())
  collector.update(podWith({ ready: false }))
  expect(streams).toHaveLength(1)
  streams[0]!.send('2026-11-15T09:00:00.123000001Z ERROR: no\n2026-11-15T09:00:00.123000002Z  in')
  streams[0]!.send('dented\nno stamp\n')
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
  collector.update(podWith({ restarts: 1, containerId: 'containerd://2' }))
  expect(streams).toHaveLength(2)
})

it('skips lines that are read again', () => {
  const { lines, streams, collector } = setUp()
  collector.update(podWith())
  streams[0]!.send('2026-11-15T09:00:00.000000001Z a\n2026-11-15T09:00:00.000000002Z b\n')
  collector.update(podWith({ containerId: 'containerd://2' }))
  streams[1]!.send('2026-11-15T09:00:00.000000002Z b\n2026-11-15T09:00:00.000000003Z c\n')
  expect(lines.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
})

it('stops open streams on close, and drops deleted pods', () => {
  const { streams, collector } = setUp()
  collector.update(podWith())
  streams[0]!.onEnd()
  collector.remove(podWith())
  collector.update(podWith())
  expect(streams).toHaveLength(2)
  collector.close()
  expect(streams.map(({ stopped }) => stopped)).toEqual([false, true])
})

it('waits until a container is created, and follows one that has terminated', () => {
  const { streams, collector } = setUp()
  collector.update(podWith({ waiting: 'ContainerCreating', containerId: '' }))
  expect(streams).toHaveLength(0)
  collector.update(podWith({ waiting: 'CrashLoopBackOff', restarts: 1 }))
  expect(streams).toHaveLength(1)
})

it('drops and counts lines above the rate limit of a container', () => {
  const { lines, streams, collector } = setUp()
  collector.update(podWith())
  const linesInSecond = (second: number): string =>
    Array.from(
      { length: 3000 },
      (_, n) => `2026-11-15T09:00:0${second}.${String(n).padStart(9, '0')}Z again and again\n`,
    ).join('')
  streams[0]!.send(linesInSecond(0))
  expect([lines.length, collector.dropped()]).toEqual([2000, 1000])
  streams[0]!.send(linesInSecond(1))
  expect([lines.length, collector.dropped()]).toEqual([4000, 2000])
})

it('truncates a line that is too long', () => {
  const { lines, streams, collector } = setUp()
  collector.update(podWith())
  streams[0]!.send(`2026-11-15T09:00:00.000000001Z ERROR ${'x'.repeat(100_000)}`)
  streams[0]!.send(`${'x'.repeat(900_000)}\n2026-11-15T09:00:00.000000002Z b\n`)
  expect(lines.map(({ text, severity }) => [text.slice(0, 7), text.length > 16_000, severity])).toEqual([
    ['ERROR x', true, 'error'],
    ['b', false, 'info'],
  ])
})

it('accepts single lines with their time, within the same limits', () => {
  const { lines, streams, collector } = setUp()
  collector.update(podWith())
  const time = Date.UTC(2026, 10, 15, 9)
  streams[0]!.onLine(time, 'ERROR: no')
  streams[0]!.onLine(time, 'x'.repeat(100_000))
  expect(lines.map((line) => [line.time, line.pod, line.severity, line.text.length])).toEqual([
    [time, 'cart-0', 'error', 9],
    [time, 'cart-0', 'info', 16_384],
  ])
  for (let n = 0; n < 3000; n += 1) streams[0]!.onLine(time + 1000 + n / 10, 'again and again')
  expect([lines.length, collector.dropped()]).toEqual([2002, 1000])
  collector.remove(podWith())
  streams[0]!.onLine(time + 5000, 'after the end')
  expect(lines).toHaveLength(2002)
})
