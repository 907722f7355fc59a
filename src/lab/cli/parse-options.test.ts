/** Tests that arguments are parsed according to the declared options. */
import { describe, expect, it } from 'vitest'
import { defineCommand } from './define-command.ts'
import { parseOptions } from './parse-options.ts'

const command = defineCommand({
  summary: 'Bring a cluster up',
  positionals: '[SYSTEM]',
  options: {
    nodes: { type: 'integer', short: 'n', default: 3, min: 1, max: 9, about: 'how many nodes' },
    limit: { type: 'integer', min: 1, max: 100, about: 'the maximum' },
    share: { type: 'number', min: 0, max: 1, about: 'the share' },
    engine: { type: 'string', choices: ['local', 'sim', 'none'], about: 'local, sim or none' },
    way: { type: 'string', choices: ['there', 'back'], multiple: true, about: 'there or back' },
    out: { type: 'string', value: 'DIR', about: 'where to write' },
    seed: { type: 'string', isNonEmpty: true, about: 'the seed' },
    label: { type: 'string', multiple: true, about: 'a label' },
    quiet: { type: 'boolean', about: 'print nothing' },
  },
  run: () => 0,
})

const parse = (...args: string[]) => parseOptions('cluster up', command, args)

describe('parseOptions', () => {
  it('fills in defaults', () => {
    expect(parse()).toEqual({
      help: false,
      json: false,
      options: {
        nodes: 3,
        limit: undefined,
        share: undefined,
        engine: undefined,
        way: [],
        out: undefined,
        seed: undefined,
        label: [],
        quiet: false,
      },
      positionals: [],
    })
  })

  it('reads values, repeated values, flags and positionals', () => {
    expect(
      parse('shop', '-n', '5', '--out=here', '--label', 'a', '--label', 'b', '--quiet', '--json'),
    ).toEqual({
      help: false,
      json: true,
      options: {
        nodes: 5,
        limit: undefined,
        share: undefined,
        engine: undefined,
        way: [],
        out: 'here',
        seed: undefined,
        label: ['a', 'b'],
        quiet: true,
      },
      positionals: ['shop'],
    })
  })

  it('accepts the ends of a range, and valid choices', () => {
    expect(
      parse(
        ...['--nodes', '9', '--limit', '1', '--share', '0.5'],
        ...['--engine', 'sim', '--way', 'back', '--way', 'there'],
      ),
    ).toMatchObject({ options: { nodes: 9, limit: 1, share: 0.5, engine: 'sim', way: ['back', 'there'] } })
  })

  it('treats everything after -- as positionals', () => {
    expect(parse('--', '--quiet')).toMatchObject({ options: { quiet: false }, positionals: ['--quiet'] })
  })

  it.each([
    [['--nodes', 'many'], '--nodes must be an integer, but "many" was given.'],
    [['--nodes', '0'], '--nodes must be 1 to 9, but "0" was given.'],
    [['--nodes', '10'], '--nodes must be 1 to 9, but "10" was given.'],
    [['--limit', '9'.repeat(20)], `--limit must be 1 to 100, but "${'9'.repeat(20)}" was given.`],
    [['--limit=-1'], '--limit must be 1 to 100, but "-1" was given.'],
    [['--share', 'half'], '--share must be a number, but "half" was given.'],
    [['--share', '1e-1'], '--share must be a number, but "1e-1" was given.'],
    [['--share', '1.01'], '--share must be 0 to 1, but "1.01" was given.'],
    [['--engine', 'cloud'], '--engine must be local, sim or none, but "cloud" was given.'],
    [['--engine='], '--engine must be local, sim or none, but "" was given.'],
    [['--way', 'there', '--way', 'up'], '--way must be there or back, but "up" was given.'],
    [['--nodes'], '--nodes requires an integer.'],
    [['--out'], '--out requires a value.'],
    [['--seed', ''], '--seed must be a non-empty text, but "" was given.'],
    [['--seed=  '], '--seed must be a non-empty text, but "  " was given.'],
    [['--nods', '3'], '"remedium cluster up" has no option --nods.'],
  ])('rejects %j', (args, message) => {
    expect(() => parse(...args)).toThrow(message)
  })

  it('passes all arguments except --json to another program', () => {
    const caller = defineCommand({ summary: 'Call', passThrough: true, run: () => 0 })
    expect(parseOptions('call', caller, ['-t', 'name', '--json', '--bail=1'])).toEqual({
      help: false,
      json: true,
      options: {},
      positionals: ['-t', 'name', '--bail=1'],
    })
  })
})
