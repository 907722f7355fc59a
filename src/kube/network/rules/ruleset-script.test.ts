import { describe, expect, it } from 'vitest'
import type { Ruleset } from './ruleset.ts'
import { rulesetScript } from './ruleset-script.ts'

const rules = (chains: Record<string, string[]>, elements: Record<string, string> = {}): Ruleset => ({
  chains: new Map(Object.entries(chains).map(([name, lines]) => [name, { rules: lines }])),
  sets: new Map(),
  maps: new Map([
    ['m', { definition: 'type ipv4_addr : verdict', elements: new Map(Object.entries(elements)) }],
  ]),
})

describe('rulesetScript', () => {
  it('begins anew where nothing is known', () => {
    expect(rulesetScript(undefined, rules({ a: ['drop'] }, { '10.0.0.1': 'goto a' })).split('\n')).toEqual([
      'add table ip remedium',
      'delete table ip remedium',
      'add table ip remedium',
      'add map ip remedium m { type ipv4_addr : verdict; }',
      'add chain ip remedium a',
      'add element ip remedium m { 10.0.0.1 : goto a }',
      'add rule ip remedium a drop',
      '',
    ])
  })

  it('says nothing where nothing changed', () => {
    const same = (): Ruleset => rules({ a: ['drop'] }, { '10.0.0.1': 'goto a' })
    expect(rulesetScript(same(), same())).toBe('')
  })

  it('takes away what points at a chain before the chain', () => {
    const from = rules(
      { a: ['drop'], b: ['goto a'], c: ['accept'] },
      { '10.0.0.1': 'goto a', '10.0.0.2': 'goto b' },
    )
    const to = rules(
      { b: ['goto d'], c: ['accept'], d: ['drop'] },
      { '10.0.0.1': 'goto d', '10.0.0.2': 'goto b' },
    )
    expect(rulesetScript(from, to).split('\n')).toEqual([
      'add chain ip remedium d',
      'delete element ip remedium m { 10.0.0.1 }',
      'flush chain ip remedium a',
      'flush chain ip remedium b',
      'add element ip remedium m { 10.0.0.1 : goto d }',
      'add rule ip remedium b goto d',
      'add rule ip remedium d drop',
      'delete chain ip remedium a',
      '',
    ])
  })
})
