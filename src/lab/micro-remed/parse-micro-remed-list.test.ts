/** Tests of MicroRemed's lists of experiments. */
import { describe, expect, it } from 'vitest'
import { parseMicroRemedList } from './parse-micro-remed-list.ts'

describe('a MicroRemed list', () => {
  it('has one failure type per line; blank lines and comments are skipped', () => {
    const text = 'disk-io\n\n# a remark\r\npod-fail\r\n  network-loss  \n'
    expect(parseMicroRemedList(text, 'a.txt')).toEqual(['disk-io', 'pod-fail', 'network-loss'])
  })

  it('is rejected with an error that names every invalid line and makes suggestions', () => {
    expect(() => parseMicroRemedList('cpu-stres\npod-fail\nnetwork loss\nxyzzy', 'a.txt')).toThrow(
      [
        'a.txt:1: "cpu-stres" is not a failure type; did you mean cpu-stress?',
        'a.txt:3: "network loss" is not a failure type; did you mean network-loss?',
        'a.txt:4: "xyzzy" is not a failure type',
      ].join('\n'),
    )
    expect(() => parseMicroRemedList('# nothing\n', 'a.txt')).toThrow('a.txt:1: the list has no failure type')
  })
})
