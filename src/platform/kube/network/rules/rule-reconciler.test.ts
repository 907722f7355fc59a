/** Needs root: tests rules in a real network namespace. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRealClock } from '#kit'
import { createNetworkNamespace, runChecked } from '#machine/linux'
import { createRuleReconciler, type RuleReconciler } from './rule-reconciler.ts'
import { NO_RULES, type Ruleset } from './ruleset.ts'

interface Fixture {
  reconciler: RuleReconciler<'one' | 'two'>
  /** The rules of the parts. */
  rules: Record<'one' | 'two', string[]>
  errors: unknown[]
  computations: Record<'one' | 'two', number>
  applied(): number
  listRules(): Promise<string>
}

const createFixture = (): Fixture => {
  const namespace = createNetworkNamespace()
  const [rules, computations] = [{ one: ['accept'], two: ['accept'] } as Fixture['rules'], { one: 0, two: 0 }]
  const errors: unknown[] = []
  let applied = 0
  const createPart = (name: 'one' | 'two') => (): Ruleset => {
    computations[name] += 1
    if (rules[name].includes('throw')) throw new Error(`part ${name} failed`)
    return { ...NO_RULES, chains: new Map([[`chain-${name}`, { rules: rules[name] }]]) }
  }
  const reconciler = createRuleReconciler({
    namespace,
    clock: createRealClock(),
    marker: {},
    parts: { one: createPart('one'), two: createPart('two') },
    onApplied: () => {
      applied += 1
    },
    onError: (_source, error) => errors.push(error),
  })
  onTestFinished(async () => {
    await reconciler.close()
    namespace.close()
  })
  return {
    reconciler,
    rules,
    errors,
    computations,
    applied: () => applied,
    listRules: () => runChecked('nft', ['list', 'ruleset'], { namespace }),
  }
}

describe('a rule reconciler', () => {
  it('applies changes in batches, and recomputes only changed parts', async () => {
    const { reconciler, rules, computations, applied, listRules } = createFixture()
    await reconciler.start()
    expect(await listRules()).toContain('chain chain-one {\n\t\taccept')
    for (const port of [1, 2, 3]) {
      rules.one = [`tcp dport ${port} drop`]
      reconciler.changed('one')
    }
    await reconciler.settled()
    expect(await listRules()).toContain('chain chain-one {\n\t\ttcp dport 3 drop\n')
    expect([computations, applied()]).toEqual([{ one: 2, two: 1 }, 2])
    reconciler.changed('two')
    await reconciler.settled()
    expect([computations, applied()]).toEqual([{ one: 2, two: 2 }, 2])
  })

  it('reports a failure, keeps the applied rules, and recreates all rules with the next change', async () => {
    const { reconciler, rules, errors, listRules } = createFixture()
    await reconciler.start()
    rules.one = ['invalid rule']
    reconciler.changed('one')
    let settled = false
    const waiting = reconciler.settled().then(() => {
      settled = true
    })
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    expect(String(errors[0])).toContain('nft ended with 1: ')
    expect(await listRules()).toContain('chain chain-one {\n\t\taccept')
    expect(settled).toBe(false)
    rules.one = ['drop']
    reconciler.changed('one')
    await waiting
    expect(await listRules()).toContain('chain chain-one {\n\t\tdrop')
    expect(await listRules()).toContain('chain chain-two {\n\t\taccept')
  })

  it('continues after a part throws', async () => {
    const { reconciler, rules, errors, listRules } = createFixture()
    await reconciler.start()
    rules.one = ['throw']
    rules.two = ['drop']
    reconciler.changed('one')
    reconciler.changed('two')
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    rules.one = ['drop']
    await reconciler.settled()
    expect(await listRules()).toContain('chain chain-two {\n\t\tdrop')
  })

  it('resolves waiting callers when it is closed', async () => {
    const { reconciler } = createFixture()
    await reconciler.start()
    reconciler.changed('one')
    const waiting = reconciler.settled()
    await reconciler.close()
    await waiting
  })
})
