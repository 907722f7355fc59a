/** Needs root: rules kept in a namespace of this machine. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRealClock } from '../../../kit/index.ts'
import { createNetworkNamespace, runChecked } from '../../../linux/index.ts'
import { createRuleKeeper, type RuleKeeper } from './rule-keeper.ts'
import { NO_RULES, type Ruleset } from './ruleset.ts'

interface Stage {
  keeper: RuleKeeper<'one' | 'two'>
  /** What the parts say. */
  wanted: Record<'one' | 'two', string[]>
  errors: unknown[]
  asked: Record<'one' | 'two', number>
  applied(): number
  inForce(): Promise<string>
}

const createStage = (): Stage => {
  const namespace = createNetworkNamespace()
  const [wanted, asked] = [{ one: ['accept'], two: ['accept'] } as Stage['wanted'], { one: 0, two: 0 }]
  const errors: unknown[] = []
  let applied = 0
  const part = (name: 'one' | 'two') => (): Ruleset => {
    asked[name] += 1
    if (wanted[name].includes('throw')) throw new Error(`${name} cannot`)
    return { ...NO_RULES, chains: new Map([[`chain-${name}`, { rules: wanted[name] }]]) }
  }
  const keeper = createRuleKeeper({
    namespace,
    clock: createRealClock(),
    marker: {},
    parts: { one: part('one'), two: part('two') },
    onApplied: () => {
      applied += 1
    },
    onError: (_where, error) => errors.push(error),
  })
  onTestFinished(async () => {
    await keeper.close()
    namespace.close()
  })
  return {
    keeper,
    wanted,
    errors,
    asked,
    applied: () => applied,
    inForce: () => runChecked('nft', ['list', 'ruleset'], { namespace }),
  }
}

describe('a rule keeper', () => {
  it('puts a burst of changes in force together, and asks only who changed', async () => {
    const { keeper, wanted, asked, applied, inForce } = createStage()
    await keeper.start()
    expect(await inForce()).toContain('chain chain-one {\n\t\taccept')
    for (const port of [1, 2, 3]) {
      wanted.one = [`tcp dport ${port} drop`]
      keeper.changed('one')
    }
    await keeper.settled()
    expect(await inForce()).toContain('chain chain-one {\n\t\ttcp dport 3 drop\n')
    expect([asked, applied()]).toEqual([{ one: 2, two: 1 }, 2])
    keeper.changed('two')
    await keeper.settled()
    expect([asked, applied()]).toEqual([{ one: 2, two: 2 }, 2])
  })

  it('tells of a failure, keeps what is in force, and makes all anew afterwards', async () => {
    const { keeper, wanted, errors, inForce } = createStage()
    await keeper.start()
    wanted.one = ['this is no rule']
    keeper.changed('one')
    let settled = false
    const waiting = keeper.settled().then(() => {
      settled = true
    })
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    expect(String(errors[0])).toContain('nft ended with 1: ')
    expect(await inForce()).toContain('chain chain-one {\n\t\taccept')
    expect(settled).toBe(false)
    wanted.one = ['drop']
    keeper.changed('one')
    await waiting
    expect(await inForce()).toContain('chain chain-one {\n\t\tdrop')
    expect(await inForce()).toContain('chain chain-two {\n\t\taccept')
  })

  it('survives a part that throws', async () => {
    const { keeper, wanted, errors, inForce } = createStage()
    await keeper.start()
    wanted.one = ['throw']
    wanted.two = ['drop']
    keeper.changed('one')
    keeper.changed('two')
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    wanted.one = ['drop']
    await keeper.settled()
    expect(await inForce()).toContain('chain chain-two {\n\t\tdrop')
  })

  it('lets those who wait go when it is closed', async () => {
    const { keeper } = createStage()
    await keeper.start()
    keeper.changed('one')
    const waiting = keeper.settled()
    await keeper.close()
    await waiting
  })
})
