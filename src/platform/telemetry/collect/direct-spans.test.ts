/** Tests of spans that programs inside the engine send. */
import { expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import type { ApiObject, Span } from '#spec'
import { fakePod } from '../testing/fake-pod.ts'
import { SAMPLE_SIGNALS, T0 } from '../testing/sample-signals.ts'
import { createDirectSpans } from './direct-spans.ts'
import { toPodState } from './pod-index.ts'

const webPod = () => {
  const pod = fakePod('web-0', 'web') as ApiObject
  return toPodState({ ...pod, metadata: { ...pod.metadata, uid: 'u' } })
}

const setUp = () => {
  const clock = createVirtualClock(T0 + 100)
  const seen: Span[] = []
  const spans = createDirectSpans()
  const source = spans.open({
    clock,
    onSpans: (batch) => seen.push(...batch),
    onError: (error) => expect.unreachable(error.message),
  })
  source.update(webPod())
  return { clock, seen, spans, source }
}

const [first] = SAMPLE_SIGNALS.spans as [Span]

it('passes a span of a known pod on without a copy', () => {
  const { seen, spans, source } = setUp()
  spans.send('u', first)
  expect(seen[0]).toBe(first)
  expect(source.rejected()).toBe(0)
})

it('overrides the service and pod, and truncates long messages', () => {
  const { seen, spans } = setUp()
  spans.send('u', { ...first, service: 'bank', pod: 'bank-0', message: 'm'.repeat(10_000) })
  expect(seen).toEqual([{ ...first, message: 'm'.repeat(4096) }])
})

it('sets the start of a span that lies in the future to its time of arrival', () => {
  const { clock, seen, spans, source } = setUp()
  for (const hours of [23, -2, 25, -25]) spans.send('u', { ...first, start: clock.now() + hours * 3_600_000 })
  expect(seen.map(({ start }) => start)).toEqual([clock.now(), clock.now() - 7_200_000])
  expect(source.rejected()).toBe(2)
})

it('rejects spans of unknown and deleted pods, and ignores all after close', async () => {
  const { seen, spans, source } = setUp()
  spans.send('other', first)
  source.remove(webPod())
  spans.send('u', first)
  expect(source.rejected()).toBe(2)
  source.update(webPod())
  await source.close()
  spans.send('u', first)
  expect(seen).toEqual([])
})
