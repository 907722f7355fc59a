/** Tests the `nft` scripts that turn one ruleset into another. */
import { describe, expect, it } from 'vitest'
import type { Ruleset } from './ruleset.ts'
import { rulesetScript } from './ruleset-script.ts'

const createRuleset = (chains: Record<string, string[]>, elements: Record<string, string> = {}): Ruleset => ({
  chains: new Map(Object.entries(chains).map(([name, lines]) => [name, { rules: lines }])),
  sets: new Map(),
  maps: new Map([
    ['m', { definition: 'type ipv4_addr : verdict', elements: new Map(Object.entries(elements)) }],
  ]),
})

describe('rulesetScript', () => {
  it('recreates the table if there is no previous ruleset', () => {
    const ruleset = createRuleset({ a: ['drop'] }, { '10.0.0.1': 'goto a' })
    expect(rulesetScript(undefined, ruleset).split('\n')).toEqual([
      'add table ip kube-proxy',
      'delete table ip kube-proxy',
      'add table ip kube-proxy',
      'add map ip kube-proxy m { type ipv4_addr : verdict; }',
      'add chain ip kube-proxy a',
      'add element ip kube-proxy m { 10.0.0.1 : goto a }',
      'add rule ip kube-proxy a drop',
      '',
    ])
  })

  it('is empty if nothing has changed', () => {
    const same = (): Ruleset => createRuleset({ a: ['drop'] }, { '10.0.0.1': 'goto a' })
    expect(rulesetScript(same(), same())).toBe('')
  })

  it('removes references to a chain before the chain', () => {
    const from = createRuleset(
      { a: ['drop'], b: ['goto a'], c: ['accept'] },
      { '10.0.0.1': 'goto a', '10.0.0.2': 'goto b' },
    )
    const to = createRuleset(
      { b: ['goto d'], c: ['accept'], d: ['drop'] },
      { '10.0.0.1': 'goto d', '10.0.0.2': 'goto b' },
    )
    expect(rulesetScript(from, to).split('\n')).toEqual([
      'add chain ip kube-proxy d',
      'delete element ip kube-proxy m { 10.0.0.1 }',
      'flush chain ip kube-proxy a',
      'flush chain ip kube-proxy b',
      'add element ip kube-proxy m { 10.0.0.1 : goto d }',
      'add rule ip kube-proxy b goto d',
      'add rule ip kube-proxy d drop',
      'delete chain ip kube-proxy a',
      '',
    ])
  })
})
