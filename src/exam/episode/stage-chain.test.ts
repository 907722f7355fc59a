/** Tests that results accumulate along a chain, and, by the compiler, that a stage cannot run too early or twice. */
import { expect, it } from 'vitest'
import { defineStage } from './episode-context.ts'
import { chainFrom } from './stage-chain.ts'

const baseline = defineStage({
  name: 'baseline',
  reads: [],
  run: async () => ({ from: 1, to: 2 }),
})
const impact = defineStage({
  name: 'impact',
  reads: ['baseline', 'waitsForImpact'],
  run: async ({ baseline: { from, to }, waitsForImpact }) => waitsForImpact && from < to,
})
const solve = defineStage({ name: 'solve', reads: [], after: ['impact'], run: async () => undefined })

it('passes the given fields and the results of earlier stages to each stage', async () => {
  const chain = chainFrom<'waitsForImpact'>().add(baseline).add(impact).add(solve)
  const context = await chain.run({ waitsForImpact: true })
  expect(context).toEqual({
    waitsForImpact: true,
    baseline: { from: 1, to: 2 },
    impact: true,
    solve: undefined,
  })
})

it('does not compile in another order', () => {
  // @ts-expect-error `impact` reads the result of `baseline`.
  chainFrom<'waitsForImpact'>().add(impact)
  // @ts-expect-error `impact` reads a field that is not given.
  chainFrom<'secret'>().add(baseline).add(impact)
  // @ts-expect-error `solve` must come after `impact`.
  chainFrom<'secret'>().add(baseline).add(solve)
  // @ts-expect-error A field has one writer.
  chainFrom<'secret'>().add(baseline).add(baseline)
})
