/** Tests of the options of `remedium load`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Workload } from '#spec'
import { parseLoad } from '#world/workload'
import { runCommand } from '../testing/run-command.ts'
import { chooseJourneys, type LoadOptions, parseDuration, toLoad } from './load-options.ts'

const step = { name: 's', request: 'GET /' }
const WORKLOAD: Workload = {
  journeys: [
    { name: 'browse', weight: 3, steps: [step] },
    { name: 'login', weight: 0, steps: [step] },
  ],
  load: { loop: 'closed', users: 4, thinkMs: { min: 7, max: 8 } },
}

describe('the options of a load', () => {
  it('select the load of the system by default', () => {
    expect(toLoad({}, WORKLOAD, 1000)).toBe(WORKLOAD.load)
  })

  it('change the number of users, and keep their think time', () => {
    expect(toLoad({ users: 9 }, WORKLOAD, 1000)).toEqual({
      loop: 'closed',
      users: 9,
      thinkMs: { min: 7, max: 8 },
    })
  })

  it.each(['constant', 'poisson', 'bursty', 'daily', 'ramp', 'spike'] as const)(
    'select the pattern %s',
    (pattern) => {
      const profile = toLoad({ rate: '12.5', pattern }, WORKLOAD, 60_000)
      expect(profile).toMatchObject({ loop: 'open', arrivals: { kind: pattern } })
      // The profile is also valid as a load file.
      expect(parseLoad(JSON.stringify(profile), 'l.json')).toEqual(profile)
    },
  )

  it('limit the connections of an open loop', () => {
    expect(toLoad({ rate: '5', connections: 7 }, WORKLOAD, 1000)).toEqual({
      loop: 'open',
      arrivals: { kind: 'constant', rate: 5 },
      connections: 7,
    })
  })

  it('read the load from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'load-'))
    const load = join(folder, 'evening.yaml')
    writeFileSync(load, 'loop: open\narrivals: {kind: poisson, rate: 3}\n')
    expect(toLoad({ load }, WORKLOAD, 1000)).toEqual({ loop: 'open', arrivals: { kind: 'poisson', rate: 3 } })
    writeFileSync(load, 'loop: open\narrivals: {kind: poisson, rate: fast}\n')
    expect(() => toLoad({ load }, WORKLOAD, 1000)).toThrow('evening.yaml:2: arrivals.rate must be a number')
    rmSync(folder, { recursive: true })
    expect(() => toLoad({ load }, WORKLOAD, 1000)).toThrow('evening.yaml cannot be read.')
  })

  it.each<[LoadOptions, string]>([
    [{ users: 1, rate: '1' }, 'Only one of --load, --users and --rate can be given.'],
    [{ pattern: 'ramp' }, '--pattern requires --rate.'],
    [
      { rate: 'many' },
      '--rate must be a number of journeys per second, above 0 and at most 100000, but "many" was given.',
    ],
    [
      { rate: '0' },
      '--rate must be a number of journeys per second, above 0 and at most 100000, but "0" was given.',
    ],
    [{ users: 2, connections: 3 }, '--connections requires an open loop.'],
    [{ connections: 3 }, '--connections requires an open loop.'],
  ])('are rejected: %j', (options, message) => {
    expect(() => toLoad(options, WORKLOAD, 1000)).toThrow(message)
  })

  it.each([
    ['--pattern', 'toString', 'constant, poisson, bursty, daily, ramp or spike'],
    ['--connections', '0', '1 to 100000'],
    ['--users', '100001', '1 to 100000'],
  ])('are rejected by the command: %s %s', async (option, given, allowed) => {
    const { code, err } = await runCommand('load', 'missing-cluster', '--rate', '1', option, given)
    expect({ code, err }).toEqual({
      code: 2,
      err: `remedium: ${option} must be ${allowed}, but "${given}" was given.\n`,
    })
  })

  it('include a duration', () => {
    expect(['90', '60s', '2m', '500ms', '1.5h'].map((text) => parseDuration('for', text))).toEqual([
      90_000, 60_000, 120_000, 500, 5_400_000,
    ])
    for (const text of ['soon', '0', '-1s', '5d', ''])
      expect(() => parseDuration('for', text)).toThrow('--for must be a duration such as 60s or 5m')
  })

  it('choose journeys, including one of weight 0', () => {
    const weightsOf = ({ journeys }: Workload): number[] => journeys.map(({ weight }) => weight)
    expect(weightsOf(chooseJourneys(WORKLOAD, []))).toEqual([3, 0])
    expect(weightsOf(chooseJourneys(WORKLOAD, ['login']))).toEqual([0, 1])
    expect(() => chooseJourneys(WORKLOAD, ['pay'])).toThrow('There is no journey "pay".')
  })
})
