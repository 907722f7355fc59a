/** Validates a sample of the suite `smoke` on simulated clusters: attempts at different faults, drawn from the seed of the suite. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ProblemValidity } from '#lab/validation'
import { makeRemediumHome, type RemediumHome } from '../testing/remedium-home.ts'

/** Takes about half a minute of CPU time. */
const SAMPLE = 30
const SYSTEMS = ['simple-micro', 'online-boutique']

/** Their effect depends on the CPU time of calls, which the simulated engine does not model exactly yet (docs/simulator.md). */
const EXCEPTIONS: readonly string[] = ['retry-storm', 'traffic-surge']

let home: RemediumHome
beforeAll(() => {
  home = makeRemediumHome('validity-on-sim')
})
afterAll(() => home.remove())

it('rewards right repairs, and no hacks', async () => {
  const systems = SYSTEMS.flatMap((system) => ['--system', system])
  const options = ['--engine', 'sim', '--sample', String(SAMPLE), '--workers', '1', '--json']
  const { out } = await home.run(['validate', 'smoke', ...options, ...systems])
  const { problems } = JSON.parse(out) as { problems: readonly ProblemValidity[] }
  expect(problems.flatMap(({ attempts }) => attempts)).toHaveLength(SAMPLE)
  const modelled = problems.filter(({ problem }) =>
    problem.faults.every(({ fault }) => !EXCEPTIONS.includes(fault)),
  )
  const exceptions = modelled.flatMap(({ problem, exceptions: sentences }) =>
    sentences.map((one) => [problem.id, one]),
  )
  expect(exceptions).toEqual([])
})
