/** Tests that traces are shown as trees, even deep ones, and that cyclic ones are not shown. */
import { expect, it } from 'vitest'
import type { Span } from '#spec'
import { toTraceText } from './trace-text.ts'

const span = (spanId: string, start: number, fields: Partial<Span> = {}): Span => ({
  traceId: 't',
  spanId,
  name: `do ${spanId}`,
  service: 'web',
  pod: 'web-0',
  kind: 'internal' as const,
  start,
  durationMs: 1,
  status: 'ok' as const,
  attributes: {},
  ...fields,
})
const treeLines = (spans: readonly Span[]): string[] =>
  toTraceText(spans)
    .split('\n')
    .map((line) => line.slice(27))

it('shows callers before callees, sorted by time', () => {
  const spans = [
    span('b', 2, { parentId: 'a' }),
    span('a', 1),
    span('d', 4, { parentId: 'lost' }),
    span('c', 3, { parentId: 'b' }),
    span('e', 3, { parentId: 'a' }),
  ]
  expect(treeLines(spans)).toEqual([
    'web do a (internal)',
    '  web do b (internal)',
    '    web do c (internal)',
    '  web do e (internal)',
    'web do d (internal)',
  ])
})

it('shows 200,000 nested spans, with escaped control characters', () => {
  const spans = Array.from({ length: 200_000 }, (_, n) =>
    span(String(n), n, { name: '\u001b[2J\n', ...(n === 0 ? {} : { parentId: String(n - 1) }) }),
  )
  const lines = treeLines(spans)
  expect(lines).toHaveLength(200_000)
  expect(lines[1]).toBe('  web \\x1b[2J\\n (internal)')
})

it('shows nothing for spans that are their own ancestors', () => {
  expect(toTraceText([span('a', 1, { parentId: 'b' }), span('b', 2, { parentId: 'a' })])).toBe('')
})
