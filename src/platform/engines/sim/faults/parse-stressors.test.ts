/** Tests the arguments of stress-ng. The messages were recorded with stress-ng 0.15.06. */
import { describe, expect, it } from 'vitest'
import { parseStressors } from './parse-stressors.ts'

const parse = (line: string) => parseStressors(line.split(' '))

describe('parseStressors', () => {
  it.each([
    ['--cpu 2', { cpu: { workers: 2, load: 100 } }],
    ['--cpu=2 --cpu-load=30 --cpu-method fft --vm-keep', { cpu: { workers: 2, load: 30 } }],
    ['-c2 -l 30 -t 1m', { cpu: { workers: 2, load: 30 }, timeoutMs: 60_000 }],
    ['--cpu 1 --timeout 5 --timeout 0', { cpu: { workers: 1, load: 100 } }],
    ['--vm 2', { virtualMemory: { workers: 2, bytes: 256 * 2 ** 20 } }],
    ['--vm 1 --vm-bytes 1.5G --vm-keep', { virtualMemory: { workers: 1, bytes: 1.5 * 2 ** 30 } }],
    [
      '-m 3 --vm-bytes 4k --cpu 1',
      { cpu: { workers: 1, load: 100 }, virtualMemory: { workers: 3, bytes: 12_288 } },
    ],
  ])('reads %s', (line, expected) => {
    expect(parse(line)).toEqual(expected)
  })

  it.each([
    ['--no-such-option', "stress-ng: unrecognized option '--no-such-option'"],
    ['--cpu 1 --foo=3', "stress-ng: unrecognized option '--foo=3'"],
    ['--cpu 1 -Z', "stress-ng: invalid option -- 'Z'"],
    ['--cpu', "stress-ng: option '--cpu' requires an argument"],
    ['--cpu 1 -l', "stress-ng: option requires an argument -- 'l'"],
    ['--vm 1 --vm-keep=3', "stress-ng: option '--vm-keep' doesn't allow an argument"],
    ['--cpu 2.5', "Value 2.5 contains non-numeric: '.5'"],
    ['--cpu 9000', 'Number of cpu stressors must be between 0 and 8192'],
    ['--cpu 1 --cpu-load 150', 'Value 150 is out of range for cpu-load, allowed: 0 .. 100'],
    ['--vm 1 --vm-bytes 5q', 'Illegal length specifier q'],
    ['--vm 1 --vm-bytes 256MB', 'Value 256.0B is out of range for vm-bytes, allowed: 4.0KB .. 256.0TB'],
    ['--vm 1 --vm-bytes -5', 'Invalid negative number -5'],
    ['--cpu 1 -t x', 'Invalid number x'],
    ['--cpu 1 -t 5x', 'Illegal time specifier x'],
    ['--timeout 5', 'stress-ng: error: [1] No stress workers invoked'],
    ['--cpu 1 more', 'the container may have ended'],
  ])('rejects %s as the program does', (line, message) => {
    expect(() => parse(line)).toThrow(new Error(`stress-ng ended with 1: ${message}`))
  })

  it.each(['--hdd 1', '--cpu 1 --matrix 2', '--cpu 0', '--vm 1 --vm-bytes 50%', '--cp 1'])(
    'rejects %s, which the model does not support',
    (line) => {
      expect(() => parse(line)).toThrow('does not support')
    },
  )
})
