/** Tests the parsers of journeys, loads and traces, and the locations of the mistakes that they report. */
import { describe, expect, it } from 'vitest'
import { parseArrivals } from './parse-arrivals.ts'
import { parseJourneys } from './parse-journeys.ts'
import { parseLoad } from './parse-load.ts'

const catchMessage = (task: () => unknown): string => {
  try {
    task()
  } catch (error) {
    expect(error).toMatchObject({ code: 'bad-file' })
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}

const JOURNEYS = `
journeys:
  - name: login
    weight: 0
    steps:
      - {name: form, request: 'POST /login', form: {user: user.name}, keepInSession: {token: body.token}}
  - name: order
    needs: [login]
    steps:
      - name: product
        request: 'GET /product/\${pick(["a", "b"])}?q=\${size({"a": "}"})}'
        headers: {authorization: 'Bearer \${session.token}'}
        expect: status == 200
load:
  loop: open
  arrivals: {kind: replay, file: traces/day.csv}
`

describe('journeys', () => {
  it('are parsed with defaults', () => {
    const { journeys, load } = parseJourneys(JOURNEYS, '/systems/shop/journeys.yaml')
    expect(journeys.map(({ name, weight }) => [name, weight])).toEqual([
      ['login', 0],
      ['order', 1],
    ])
    expect(load).toEqual({
      loop: 'open',
      arrivals: { kind: 'replay', file: '/systems/shop/traces/day.csv' },
    })
    expect(parseJourneys('journeys: [{name: a, steps: [{request: GET /}]}]', 'j').journeys[0]).toEqual({
      name: 'a',
      weight: 1,
      steps: [{ name: 'GET /', request: 'GET /' }],
    })
  })

  it.each([
    ['journeys: [{name: a, steps: []}]', 'j:1: journeys[0].steps must have at least 1 entries'],
    [
      'journeys:\n- name: a\n  steps:\n  - request: FETCH /',
      'j:4: journeys[0].steps[0].request must be a method',
    ],
    [
      'journeys:\n- name: a\n  steps:\n  - {request: GET /, expct: 1}',
      'j:4: journeys[0].steps[0].expct is not a known field; did you mean "expect"?',
    ],
    [
      'journeys:\n- name: a\n  weight: 1\n  request: GET /\n  steps: [{request: GET /}]',
      'j:4: journeys[0].request is not a known field here; it belongs under "steps[]"',
    ],
    [
      'journeys:\n- {name: a, steps: [{request: GET /}]}\n- {name: a, steps: [{request: GET /}]}',
      'j:3: journeys[1].name must be unique, but "a" is used twice',
    ],
    [
      'journeys:\n- {name: a, needs: [b], steps: [{request: GET /}]}',
      'j:2: journeys[0].needs[0] must name a journey, but there is no "b"',
    ],
    [
      'journeys:\n- {name: a, needs: [a], steps: [{request: GET /}]}',
      'j:2: journeys[0].needs must not form a cycle',
    ],
    [
      'journeys:\n- {name: a, weight: 0, steps: [{request: GET /}]}',
      'j:2: journeys must include one with a weight above 0',
    ],
    [
      `journeys:\n- name: a\n  steps:\n  - {request: 'GET /\${a'}`,
      'j:4: journeys[0].steps[0].request is not a valid expression: column',
    ],
    [
      "journeys:\n- name: a\n  steps:\n  - {request: GET /, json: '1', form: {a: '1'}}",
      'j:4: journeys[0].steps[0] must not have both',
    ],
    [
      "journeys:\n- name: a\n  steps:\n  - {request: GET /, keep: {a-b: '1'}}",
      'j:4: journeys[0].steps[0].keep.a-b is not a valid name',
    ],
    [
      'journeys:\n- {name: a, steps: [{request: GET /}]}\nload: {loop: closed, users: 0, thinkMs: {min: 2, max: 1}}',
      'j:3: load.users must be at least 1, not 0\nj:3: load.thinkMs must have "min" no greater',
    ],
    [
      "journeys:\n- name: a\n  steps:\n  - {request: GET /, expect: 'status == 200 &&'}",
      'j:4: journeys[0].steps[0].expect is not a valid expression: column',
    ],
    [
      'journeys:\n- name: a\n  steps:\n  - {request: GET /, keep: {item: body.id}}\n  - {request: GET /, json: itm}',
      'j:5: journeys[0].steps[1].json uses "itm", which is not defined here',
    ],
    ['journeys: {', 'j:1: '],
    ['- a', 'j:1: the document must be a map, not a list'],
  ])('with a mistake are rejected: %s', (text, message) => {
    expect(catchMessage(() => parseJourneys(text, 'j'))).toContain(message)
  })
})

describe('loads', () => {
  it('are parsed from YAML and JSON', () => {
    expect(parseLoad('loop: open\narrivals: {kind: constant, rate: 5}', 'l.yaml')).toEqual({
      loop: 'open',
      arrivals: { kind: 'constant', rate: 5 },
    })
    expect(parseLoad('{"loop": "closed", "users": 3, "thinkMs": {"min": 1, "max": 2}}', 'l.json')).toEqual({
      loop: 'closed',
      users: 3,
      thinkMs: { min: 1, max: 2 },
    })
  })

  it.each([
    ['loop: wide', 'l:1: loop must be one of closed, open'],
    ['loop: open\narrivals:\n  kind: hourly', 'l:3: arrivals.kind must be one of constant, poisson'],
    [
      'loop: open\narrivals:\n  kind: ramp\n  from: 1\n  to: fast\n  overMs: 0',
      'l:5: arrivals.to must be a number, not text\nl:6: arrivals.overMs must be at least 1, not 0',
    ],
    ['{"loop": "open"}', 'l:1: arrivals is missing'],
    [
      'loop: open\narrivals:\n  kind: daily\n  low: 9\n  high: 3\n  dayMs: 1000',
      'l:4: arrivals.low must be no greater than "high"',
    ],
  ])('with a mistake are rejected: %s', (text, message) => {
    expect(catchMessage(() => parseLoad(text, 'l'))).toContain(message)
  })
})

describe('traces', () => {
  it('are parsed with and without journeys', () => {
    expect(parseArrivals('journey,ms\n"a, b",0\r\n,12.5\n\n', 't', ['a, b'])).toEqual([
      { ms: 0, journey: 'a, b' },
      { ms: 12.5 },
    ])
  })

  it.each([
    ['ms\n1\nsoon', 't:3: "ms" must be a number of milliseconds, not "soon"'],
    ['ms\n1\n0x10', 't:3: "ms" must be a number of milliseconds, not "0x10"'],
    ['ms\n5\n4', 't:3: "ms" must be at least 5, the value of the previous line, not 4'],
    ['ms\n-1', 't:2: "ms" must be at least 0, not -1'],
    ['ms,journey\n1,buy', 't:2: "journey" must be one of a, not "buy"'],
    ['time\n1', 't:1: the first line must name the columns'],
    ['ms\n1e400', 't:2: "ms" must be a number of milliseconds, not "1e400"'],
    ['ms\n\u0000', 't:2: "ms" must be a number of milliseconds, not "\\u0000"'],
    ['ms,jurney\n1,a', 't:1: unknown column "jurney": expected ms and journey'],
    ['ms,ms\n1,1', 't:1: duplicate column "ms"'],
    ['ms,journey\n1,a,b', 't:2: expected 2 fields, as in the first line, not 3'],
    ['ms\n\n', 't:3: the trace has no arrivals'],
    ['', 't:1: the first line must name the columns'],
  ])('with a mistake are rejected: %j', (text, message) => {
    expect(catchMessage(() => parseArrivals(text, 't', ['a']))).toContain(message)
  })
})
