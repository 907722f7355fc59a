/** Tests of `remedium faults`, of parameters on the command line, and that docs/faults.md is up to date. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REPOSITORY } from '#kit'
import type { Fault } from '#spec'
import { runCommand } from '../testing/run-command.ts'
import { parseParameters } from './parse-parameters.ts'

const DOCUMENT = join(REPOSITORY, 'docs', 'faults.md')

const run = (...args: string[]) => runCommand('faults', ...args)

describe('remedium faults', () => {
  it('lists the faults with their targets on a system', async () => {
    const { code, out } = await run('--system', 'simple-micro')
    expect(code).toBe(0)
    expect(out).toMatch(/^NAME +CATEGORY .* TARGETS ON SIMPLE-MICRO$/m)
    expect(out).toMatch(/^cpu-stress +cpu-stress +operating-system .*hello-service/m)
  })

  it('describes a fault as text and as JSON', async () => {
    expect((await run('cpu-stress')).out).toMatch(/^ {2}workers +an integer, \d+ to \d+ +10 +\S/m)
    expect(JSON.parse((await run('cpu-stress', '--json')).out)).toMatchObject({
      name: 'cpu-stress',
      binding: 'pod',
      parameters: { workers: { type: 'integer', default: 10 } },
    })
  })

  it('prints docs/faults.md', async () => {
    expect((await run('--markdown')).out).toBe(readFileSync(DOCUMENT, 'utf8'))
  })

  it.each([
    [['cpu-stres'], 'There is no fault "cpu-stres". Did you mean "cpu-stress"?'],
    [['cpu-stress', 'disk-io'], 'Name one fault.'],
    [['--system', 'simple-mikro'], 'There is no system "simple-mikro". Did you mean "simple-micro"?'],
  ])('rejects %j in one sentence', async (args, sentence) => {
    const { code, err } = await run(...args)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
  })
})

describe('parseParameters', () => {
  const fault = {
    name: 'burn',
    parameters: {
      workers: { type: 'integer', about: 'How many', min: 1, max: 64, default: 10 },
      load: { type: 'number', about: 'How much', min: 1, max: 100, default: 100, unit: '%' },
      place: { type: 'choice', about: 'Where', choices: ['here', 'there'], default: 'here' },
    },
  } as unknown as Fault

  it('returns the given values, and defaults for the rest', () => {
    const values = parseParameters(fault, ['workers=4', 'load=2.5', 'place=there'])
    expect(values).toEqual({ workers: 4, load: 2.5, place: 'there' })
    expect(parseParameters(fault, [])).toEqual({ workers: 10, load: 100, place: 'here' })
  })

  it.each([
    ['workers', '--param must be NAME=VALUE, but "workers" was given.'],
    ['workers=', 'The parameter workers must be an integer, 1 to 64, but "" was given.'],
    ['workers=1.5', 'The parameter workers must be an integer, 1 to 64, but "1.5" was given.'],
    ['workers=65', 'The parameter workers must be an integer, 1 to 64, but "65" was given.'],
    ['load=-1', 'The parameter load must be 1 to 100 %, but "-1" was given.'],
    ['place=', 'The parameter place must be one of here, there, but "" was given.'],
    ['worker=1', 'The fault "burn" has no parameter "worker".'],
  ])('rejects %s in one sentence', (text, sentence) => {
    expect(() => parseParameters(fault, [text])).toThrow(sentence)
  })
})
