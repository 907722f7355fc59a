/** Tests of the observations of get_traces. */
import { describe, expect, it } from 'vitest'
import type { Span } from '#spec'
import { callAction, withSignals } from '../testing/call-action.ts'

const toSpan = (fields: Partial<Span> = {}): Span => ({
  traceId: 't1',
  spanId: 's1',
  name: 'GET /cart',
  service: 'cart',
  pod: 'cart-1',
  kind: 'server',
  start: 1000,
  durationMs: 5,
  status: 'ok',
  attributes: {},
  ...fields,
})

describe('get_traces', () => {
  const spans = [
    toSpan({ service: 'front', spanId: 's0', durationMs: 20 }),
    toSpan({ parentId: 's0', status: 'error', message: 'refused', kind: 'client', peer: 'redis' }),
  ]

  it('returns errors and spans', async () => {
    const { text, data } = await callAction('get_traces', { errors: true }, withSignals({ spans }))
    expect(text).toContain(
      '3 times: 00:00:01.000 cart client GET /cart to redis 5 ms FAILED: refused [trace t1]',
    )
    expect(data).toMatchObject({ samples: [{ count: 3 }], spans })
  })

  it('returns one trace as a tree, and rejects an unknown trace id', async () => {
    const { text } = await callAction('get_traces', { trace_id: 't1' }, withSignals({ spans }))
    expect(text).toMatch(/\n- 00:00:01.000 front .*\n- \. 00:00:01.000 cart client/)
    expect(await callAction('get_traces', { trace_id: 'none' })).toMatchObject({ ok: false })
  })

  it('lists each span of a trace once, even if ids repeat, parents form a cycle, or the trace is very deep', async () => {
    const duplicates = [toSpan(), ...Array.from({ length: 3 }, () => toSpan({ parentId: 's1' }))]
    const cycle = [toSpan({ spanId: 'a', parentId: 'b' }), toSpan({ spanId: 'b', parentId: 'a' })]
    const answer = await callAction(
      'get_traces',
      { trace_id: 't1' },
      withSignals({ spans: [...duplicates, ...cycle] }),
    )
    expect(answer.text.split('\n').map((line) => line.match(/^- (\. )*/)?.[0])).toEqual([
      ...[undefined, '- ', '- . ', '- . ', '- . '],
      ...['- ', '- . '],
    ])
    const chain = Array.from({ length: 50_000 }, (_, n) => toSpan({ spanId: `s${n}`, parentId: `s${n - 1}` }))
    const deep = await callAction('get_traces', { trace_id: 't1' }, withSignals({ spans: chain }))
    expect(deep.text).toMatch(
      /^Trace t1, 50000 spans:\n[\s\S]*\n {2}\(49\d{3} more\)\nOutput truncated. To see more, call query_telemetry/,
    )
  })
})
