/** Tests of the section that compares pairs of contenders. */
import { expect, it } from 'vitest'
import { reportPage } from '../../report-page.ts'
import { exampleProblem, exampleResult } from '../../testing/example-record.ts'
import { exampleRun } from '../../testing/example-run.ts'

const lettersOf = (ids: string): string[] => [...ids]

/** Renders the page of a run. Each letter is a problem that the contender tried; an upper-case letter means resolved. */
const renderPage = (tried: Readonly<Record<string, string>>): Promise<string> => {
  const names = Object.keys(tried)
  const results = names.flatMap((contender) =>
    lettersOf(tried[contender]!).map((letter) =>
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
  const cells = cellsOf(await renderPage({ one: 'ABCDE', two: 'Abcxyz' }))
  expect(cells[0]).toBe('one – two')
  expect(cells[1]).toBe('+67')
  expect(cells[2]).toMatch(/^-?\+?\d+ to \+\d+$/)
  expect(cells.slice(3)).toEqual(['2 : 0', '0.500', '3', '5 problems'])
})

it('shows no difference if no problem was tried by both', async () => {
  const cells = cellsOf(await renderPage({ one: 'AB', two: 'c' }))
  expect(cells.slice(1)).toEqual(['n/a', '–', '0 : 0', 'n/a', '0', '3 problems'])
})

it('names the sign test and the clustered intervals', async () => {
  const page = await renderPage({ one: 'A', two: 'a' })
  expect(page).toContain('p (sign test)')
  expect(page).toContain('Intervals are 95 % confidence intervals, clustered by problem')
  expect(page).not.toContain('Wilson')
})

it('is absent with one contender', async () => {
  expect(await renderPage({ one: 'Ab' })).not.toContain('Paired comparisons')
})
