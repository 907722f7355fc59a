/** Tests of parsing metrics in the text exposition format. */
import { expect, it } from 'vitest'
import { parseLabels, parsePrometheus } from './parse-prometheus.ts'

it('parses samples with and without labels, and skips invalid lines', () => {
  const text = `# HELP a_total About "a".
# TYPE a_total counter
a_total{endpoint="GET /x",status="200"} 12
a_total {} 3 1700000000000
process_cpu_seconds_total 1.5e-2
d_bucket{le="+Inf"} 7
odd NaN
top +Inf
no value at all
{brace="first"} 1
1digit 2
bad 0x
`
  expect(parsePrometheus(text, 100)).toEqual([
    { name: 'a_total', labelText: '{endpoint="GET /x",status="200"}', value: 12 },
    { name: 'a_total', labelText: '{}', value: 3 },
    { name: 'process_cpu_seconds_total', labelText: '', value: 0.015 },
    { name: 'd_bucket', labelText: '{le="+Inf"}', value: 7 },
    { name: 'odd', labelText: '', value: Number.NaN },
    { name: 'top', labelText: '', value: Number.POSITIVE_INFINITY },
  ])
})

it('limits the number of samples and the length of a line', () => {
  expect(parsePrometheus('a 1\n'.repeat(10_000), 500)).toHaveLength(500)
  expect(parsePrometheus(`a{x="${'y'.repeat(100_000)}"} 1`, 5)).toEqual([])
})

it('parses adversarial lines in linear time', () => {
  const adversarialLines = [
    `a${' '.repeat(4000)}`,
    `a 1${' '.repeat(4000)}x`,
    `a{${'} '.repeat(1900)}`,
    `a${' {}'.repeat(1300)}`,
  ]
  const lines = Array.from({ length: 500 }, (_, n) => adversarialLines[n % adversarialLines.length])
  const startedAt = performance.now()
  expect(parsePrometheus(lines.join('\n'), 500)).toEqual([])
  // A backtracking pattern would take a second or more for each line of the first kind.
  expect(performance.now() - startedAt).toBeLessThan(1000)
})

it('parses labels that contain quotes, braces, commas and line breaks', () => {
  expect(parseLabels('{a="x,y}",b="say \\"no\\"",c="two\\nlines",d="\\\\",}')).toEqual({
    a: 'x,y}',
    b: 'say "no"',
    c: 'two\nlines',
    d: '\\',
  })
  expect(parseLabels('')).toEqual({})
  expect(parseLabels('{a=b}')).toBeUndefined()
  expect(parseLabels('{a="b" oops}')).toBeUndefined()
})
