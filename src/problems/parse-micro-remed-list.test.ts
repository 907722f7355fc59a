/** Lists as MicroRemed writes them. */
import { describe, expect, it } from 'vitest'
import { parseMicroRemedList } from './parse-micro-remed-list.ts'

describe("a list of MicroRemed's", () => {
  it('is one failure type a line; blank lines and remarks are skipped', () => {
    const text = 'disk-io\n\n# a remark\r\npod-fail\r\n  network-loss  \n'
    expect(parseMicroRemedList(text, 'a.txt')).toEqual(['disk-io', 'pod-fail', 'network-loss'])
  })

  it('is refused with every line that is wrong, and what was meant', () => {
    expect(() => parseMicroRemedList('cpu-stres\npod-fail\nnetwork loss\nxyzzy', 'a.txt')).toThrow(
      [
        'a.txt:1: "cpu-stres" is no failure type; did you mean cpu-stress?',
        'a.txt:3: "network loss" is no failure type; did you mean network-loss?',
        'a.txt:4: "xyzzy" is no failure type',
      ].join('\n'),
    )
    expect(() => parseMicroRemedList('# nothing\n', 'a.txt')).toThrow('a.txt:1: it names no failure type')
  })
})
