/** Tests the command line of the measuring programs. */
import { expect, it } from 'vitest'
import { parseProgram, UsageError, usageOf } from './parse-program.ts'

const program = {
  command: 'npm run bench demo',
  about: 'Measures nothing.',
  options: {
    rounds: { about: 'how many rounds', count: 15, quick: 2 },
    suite: { about: 'the suite', value: 'NAME', text: 'easy' },
  },
  flags: { record: 'writes the results' },
}

it('has separate defaults for the full and the quick form', () => {
  expect(parseProgram(program, [])).toMatchObject({ values: { rounds: 15, suite: 'easy' }, isQuick: false })
  expect(parseProgram(program, ['--quick'])).toMatchObject({
    values: { rounds: 2, suite: 'easy' },
    isQuick: true,
  })
})

it('prefers given values to the defaults, also in the quick form', () => {
  const { values, flags } = parseProgram(program, ['--quick', '--rounds', '7', '--suite', 'hard', '--record'])
  expect(values).toEqual({ rounds: 7, suite: 'hard' })
  expect(flags).toContain('record')
})

it('accepts operands only if the program declares them', () => {
  expect(parseProgram({ ...program, operands: '[SYSTEM ...]' }, ['shop', 'trains']).operands).toEqual([
    'shop',
    'trains',
  ])
  expect(() => parseProgram(program, ['shop'])).toThrow(UsageError)
})

it.each([
  [['--rounds', 'many'], '--rounds must be a whole number, not "many".'],
  [['--sideways'], '--sideways'],
])('rejects %j', (args, message) => {
  expect(() => parseProgram(program, args)).toThrow(UsageError)
  expect(() => parseProgram(program, args)).toThrow(message)
})

it('lists every option with its defaults', () => {
  expect(usageOf(program)).toBe(`Measures nothing.

Usage: npm run bench demo -- [OPTION ...]

  --rounds N    how many rounds (default: 15; with --quick: 2)
  --suite NAME  the suite (default: easy)
  --record      writes the results
  --quick       uses small counts and ignores performance goals: checks the program, not the machine
  --help        prints this text
`)
})
