/** Journeys, loads and traces: what is read, and that every mistake is told where it is. */
import { describe, expect, it } from 'vitest'
import { parseArrivals } from './parse-arrivals.ts'
import { parseJourneys } from './parse-journeys.ts'
import { parseLoad } from './parse-load.ts'

const messageOf = (task: () => unknown): string => {
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
  it('are read with what they leave out', () => {
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
      'j:4: journeys[0].steps[0].expct is not known',
    ],
    [
      'journeys:\n- {name: a, steps: [{request: GET /}]}\n- {name: a, steps: [{request: GET /}]}',
      'j:3: journeys[1].name is "a" a second time',
    ],
    [
      'journeys:\n- {name: a, needs: [b], steps: [{request: GET /}]}',
      'j:2: journeys[0].needs[0] names "b", which is no journey',
    ],
    [
      'journeys:\n- {name: a, needs: [a], steps: [{request: GET /}]}',
      'j:2: journeys[0].needs lead back to the journey itself',
    ],
    [
      'journeys:\n- {name: a, weight: 0, steps: [{request: GET /}]}',
      'j:2: journeys need one whose weight is more than 0',
    ],
    [
      `journeys:\n- name: a\n  steps:\n  - {request: 'GET /\${a'}`,
      'j:4: journeys[0].steps[0].request cannot be read: column',
    ],
    [
      "journeys:\n- name: a\n  steps:\n  - {request: GET /, json: '1', form: {a: '1'}}",
      'j:4: journeys[0].steps[0] has both',
    ],
    [
      "journeys:\n- name: a\n  steps:\n  - {request: GET /, keep: {a-b: '1'}}",
      'j:4: journeys[0].steps[0].keep.a-b is no good name',
    ],
    [
      'journeys:\n- {name: a, steps: [{request: GET /}]}\nload: {loop: closed, users: 0, thinkMs: {least: 2, most: 1}}',
      'j:3: load.users must be at least 1, not 0\nj:3: load.thinkMs must have "least" no greater',
    ],
    [
      "journeys:\n- name: a\n  steps:\n  - {request: GET /, expect: 'status == 200 &&'}",
      'j:4: journeys[0].steps[0].expect cannot be read: column',
    ],
    [
      'journeys:\n- name: a\n  steps:\n  - {request: GET /, keep: {item: body.id}}\n  - {request: GET /, json: itm}',
      'j:5: journeys[0].steps[1].json uses "itm", which nothing has set by then',
    ],
    ['journeys: {', 'j:1: '],
    ['- a', 'j:1: it must be a map, not a list'],
  ])('with a mistake are refused: %s', (text, message) => {
    expect(messageOf(() => parseJourneys(text, 'j'))).toContain(message)
  })
})

describe('loads', () => {
  it('are read from YAML and JSON', () => {
    expect(parseLoad('loop: open\narrivals: {kind: constant, rate: 5}', 'l.yaml')).toEqual({
      loop: 'open',
      arrivals: { kind: 'constant', rate: 5 },
    })
    expect(parseLoad('{"loop": "closed", "users": 3, "thinkMs": {"least": 1, "most": 2}}', 'l.json')).toEqual(
      {
        loop: 'closed',
        users: 3,
        thinkMs: { least: 1, most: 2 },
      },
    )
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
  ])('with a mistake are refused: %s', (text, message) => {
    expect(messageOf(() => parseLoad(text, 'l'))).toContain(message)
  })
})

describe('traces', () => {
  it('are read, with or without journeys', () => {
    expect(parseArrivals('journey,ms\n"a, b",0\r\n,12.5\n\n', 't', ['a, b'])).toEqual([
      { ms: 0, journey: 'a, b' },
      { ms: 12.5 },
    ])
  })

  it.each([
    ['ms\n1\nsoon', 't:3: "ms" must be a number of milliseconds, not "soon"'],
    ['ms\n1\n0x10', 't:3: "ms" must be a number of milliseconds, not "0x10"'],
    ['ms\n5\n4', 't:3: "ms" must not be less than the 5 of a line before, but is 4'],
    ['ms\n-1', 't:2: "ms" must be at least 0, not -1'],
    ['ms,journey\n1,buy', 't:2: "journey" is "buy", which is none of a'],
    ['time\n1', 't:1: the first line must name the columns'],
    ['ms\n1e400', 't:2: "ms" must be a number of milliseconds, not "1e400"'],
    ['ms\n\u0000', 't:2: "ms" must be a number of milliseconds, not "\\u0000"'],
    ['ms,jurney\n1,a', 't:1: there is no column "jurney", only ms and journey'],
    ['ms,ms\n1,1', 't:1: the column "ms" is there a second time'],
    ['ms,journey\n1,a,b', 't:2: there are 3 fields, but the first line names 2'],
    ['ms\n\n', 't:3: there is not a single arrival in it'],
    ['', 't:1: the first line must name the columns'],
  ])('with a mistake are refused: %j', (text, message) => {
    expect(messageOf(() => parseArrivals(text, 't', ['a']))).toContain(message)
  })
})
