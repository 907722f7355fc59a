/** Tests the latency and the outcome of a journey run. */
import { expect, it } from 'vitest'
import { createRandom } from '#kit'
import type { Journey, JourneyRecord } from '#spec'
import { compileJourneys } from './compile-journeys.ts'
import { runJourney } from './run-journey.ts'
import { createUser } from './user.ts'

/** Every response takes 100 ms; `/broken` returns status 500. */
const run = async (steps: Journey['steps']): Promise<JourneyRecord> => {
  let now = 0
  const journeys = compileJourneys([{ name: 'buy', weight: 1, steps }], () => now)
  return runJourney(
    {
      journey: journeys.byName.get('buy')!,
      number: 1,
      intended: 0,
      user: createUser(1, () => now),
      random: createRandom('test'),
    },
    {
      client: {
        async send({ target }) {
          now += 100
          return {
            status: target === '/broken' ? 500 : 200,
            headers: {},
            text: '',
            isTruncated: target === '/huge',
          }
        },
      },
      journeys,
      now: () => now,
      originOf: () => 'http://shop',
      newTraceId: () => '0'.repeat(32),
      onRequest() {},
      onJourney() {},
    },
  )
}
const createStep = (name: string, prepares = false, path = '/ok') => ({
  name,
  request: `GET ${path}`,
  prepares,
})

it('measures the latency of a run as the sum of its steps', async () => {
  expect(await run([createStep('look'), createStep('pay')])).toMatchObject({ latencyMs: 200, ok: true })
})

it('excludes preparing steps from the latency, except for the last step', async () => {
  const steps = [createStep('look'), createStep('book', true), createStep('pay')]
  expect(await run(steps)).toMatchObject({ latencyMs: 200, ok: true })
  expect(await run([createStep('look'), createStep('book', true)])).toMatchObject({ latencyMs: 200 })
})

it('fails if a step needs the content of a truncated response', async () => {
  const steps = [
    createStep('look', false, '/huge'),
    { ...createStep('read', false, '/huge'), expect: 'size(body) >= 0' },
  ]
  expect(await run(steps)).toMatchObject({ ok: false, failedAt: 'read' })
})

it('fails if a preparing step fails', async () => {
  const steps = [createStep('book', true, '/broken'), createStep('pay')]
  expect(await run(steps)).toMatchObject({ ok: false, failedAt: 'book' })
})
