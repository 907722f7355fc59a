/** Tests of the section that compares pairs of contenders. */
import { expect, it } from 'vitest'
import { reportPage } from '../../report-page.ts'
import { exampleProblem, exampleResult } from '../../testing/example-record.ts'
import { exampleRun } from '../../testing/example-run.ts'

const problemsOf = (ids: string): string[] => [...ids]

/** The page of a run in which each contender tried other problems; upper-case ones are resolved. */
const pageOf = (tried: Readonly<Record<string, string>>): Promise<string> => {
  const names = Object.keys(tried)
  const results = names.flatMap((contender) =>
    problemsOf(tried[contender]!).map((letter) =>
      exampleResult({
        episode: `${contender}-${letter}`,
        contender,
        problem: letter.toLowerCase(),
        outcome: letter === letter.toUpperCase() ? 'resolved' : 'unresolved',
      }),
    ),
  )
  const ids = new Set(results.map(({ problem }) => problem))
  return reportPage([
    exampleRun({
      manifest: {
        problems: [...ids].map((id) => exampleProblem({ id })),
        contenders: names.map((name) => ({ name, agent: name, models: {} })),
      },
      results,
    }),
  ])
}

const cellsOf = (page: string): string[] => {
  const row = /id="h-comparisons".*?<tbody><tr>(.*?)<\/tr>/s.exec(page)?.[1] ?? ''
  return [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, text]) => text!.replaceAll('\u00a0', ' '))
}

it('compares on the problems that both tried, and counts those that only one tried', async () => {
  const cells = cellsOf(await pageOf({ one: 'ABCDE', two: 'Abcxyz' }))
  expect(cells[0]).toBe('one – two')
  expect(cells[1]).toBe('+67')
  expect(cells[2]).toMatch(/^-?\+?\d+ to \+\d+$/)
  expect(cells.slice(3)).toEqual(['2 : 0', '0.500', '3', '5 problems'])
})

it('shows no difference if no problem was tried by both', async () => {
  const cells = cellsOf(await pageOf({ one: 'AB', two: 'c' }))
  expect(cells.slice(1)).toEqual(['n/a', '–', '0 : 0', 'n/a', '0', '3 problems'])
})

it('names the sign test and the clustered intervals', async () => {
  const page = await pageOf({ one: 'A', two: 'a' })
  expect(page).toContain('p (sign test)')
  expect(page).toContain('Intervals are 95 % confidence intervals, clustered by problem')
  expect(page).not.toContain('Wilson')
})

it('is absent with one contender', async () => {
  expect(await pageOf({ one: 'Ab' })).not.toContain('Paired comparisons')
})
