/** Tests of what a walk's time is made of. */
import { expect, it } from 'vitest'
import { createRandom } from '../kit/index.ts'
import type { Journey, JourneyRecord } from '../spec/index.ts'
import { compileJourneys } from './compile-journey.ts'
import { createUser } from './user.ts'
import { walkJourney } from './walk-journey.ts'

/** Every answer takes a hundred milliseconds, and `/broken` is none. */
const walk = async (steps: Journey['steps']): Promise<JourneyRecord> => {
  let now = 0
  const journeys = compileJourneys([{ name: 'buy', weight: 1, steps }], () => now)
  return walkJourney(
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
          return { status: target === '/broken' ? 500 : 200, headers: {}, text: '' }
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
const step = (name: string, prepares = false, path = '/ok') => ({ name, request: `GET ${path}`, prepares })

it('takes as long as its steps', async () => {
  expect(await walk([step('look'), step('pay')])).toMatchObject({ latencyMs: 200, ok: true })
})

it('is not longer for what was prepared, but for what it is about', async () => {
  const steps = [step('look'), step('book', true), step('pay')]
  expect(await walk(steps)).toMatchObject({ latencyMs: 200, ok: true })
  expect(await walk([step('look'), step('book', true)])).toMatchObject({ latencyMs: 200 })
})

it('fails where what it needs cannot be prepared', async () => {
  const steps = [step('book', true, '/broken'), step('pay')]
  expect(await walk(steps)).toMatchObject({ ok: false, failedAt: 'book' })
})
