/** Tests of the summary of a validation and of its page. */
import { describe, expect, it } from 'vitest'
import type { Problem } from '#spec'
import type { AttemptResult } from './attempt.ts'
import { summarise } from './summarise.ts'
import { validityDocument } from './validity-document.ts'

const problem = (id: string, fault = 'leak'): Problem =>
  ({ id, system: 'shop', task: 'mitigation', faults: [{ fault }] }) as unknown as Problem
const result = (id: string, attempt: string, outcome: string, total = 5000): AttemptResult =>
  ({
    problem: id,
    attempt,
    outcome,
    reason: 'it | was so',
    stages: { total, solve: 1000 },
    tries: 1,
    alerts: [],
    expected: attempt === 'reference' ? 'resolved' : 'unresolved',
  }) as unknown as AttemptResult

const ATTEMPTS = [
  { name: 'do-nothing', expected: 'unresolved' },
  { name: 'reference', expected: 'resolved' },
  { name: 'hack restart', expected: 'unresolved' },
] as const
const plan = (...ids: string[]) => ids.map((id) => ({ problem: problem(id), attempts: ATTEMPTS }))
const expectedResults = (id: string, total?: number): AttemptResult[] => [
  result(id, 'do-nothing', 'unresolved'),
  result(id, 'reference', 'resolved', total),
  result(id, 'hack restart', 'unresolved'),
]

describe('a summary', () => {
  it('counts a problem as valid if every attempt has the expected outcome', () => {
    const { share, valid, medians } = summarise(plan('a', 'b', 'c'), [
      ...expectedResults('a', 1),
      ...expectedResults('b', 3),
      ...expectedResults('c', 2),
    ])
    expect({ share, valid, total: medians.total }).toEqual({ share: 100, valid: 3, total: 2 })
  })

  it.each([
    ['do-nothing', 'resolved', 'do-nothing should fail and passes: it | was so'],
    ['reference', 'unresolved', 'reference should pass and fails: it | was so'],
    ['hack restart', 'resolved', 'hack restart should fail and passes: it | was so'],
    ['hack restart', 'void', 'hack restart is void: it | was so'],
  ])('explains why a problem is not valid if %s is %s', (attempt, outcome, reason) => {
    const results = expectedResults('a').map((one) =>
      one.attempt === attempt ? { ...one, ...result('a', attempt, outcome) } : one,
    )
    const { share, problems } = summarise(plan('a', 'b'), [...results, ...expectedResults('b')])
    expect({ share, exceptions: problems[0]!.exceptions }).toEqual({ share: 50, exceptions: [reason] })
  })

  it('names hacks that found nothing to damage, which are neither exceptions nor hacks that fail', () => {
    const results = expectedResults('a').map((one) =>
      one.attempt === 'hack restart'
        ? { ...one, outcome: 'resolved' as const, expected: 'resolved' as const, isIdle: true as const }
        : one,
    )
    const validity = summarise(plan('a'), results)
    const sentence = 'hack restart found nothing to damage, and proves nothing'
    expect(validity.problems[0]).toMatchObject({ valid: true, exceptions: [], idle: [sentence] })
    const head = { title: 't', command: 'c', date: 'd', commit: 'x', machine: 'm' }
    const page = validityDocument(validity, head)
    expect(page).toContain(`## Hacks without effect\n\n- \`a\` (leak, shop): ${sentence}\n\n## All problems`)
    expect(page).toMatch(/fail \| pass \| - \| - \| yes/)
  })

  it('does not count a problem without attempts as valid', () => {
    expect(summarise([], []).share).toBe(0)
    const { valid, problems } = summarise([{ problem: problem('a'), attempts: [] }], [])
    expect({ valid, exceptions: problems[0]!.exceptions }).toEqual({
      valid: 0,
      exceptions: ['no attempt was planned'],
    })
  })

  it('reports void attempts with the same reason once', () => {
    const results = ATTEMPTS.map(({ name }) => ({ ...result('a', name, 'void'), tries: 2 }))
    const { exceptions, retries } = summarise(plan('a'), results).problems[0]!
    expect({ exceptions, retries }).toEqual({
      exceptions: ['do-nothing and 2 more are void: it | was so'],
      retries: [],
    })
  })

  it('lists retried attempts with their failures', () => {
    const [first, ...rest] = expectedResults('a')
    const retriedResult = { ...first!, tries: 2, failures: ['No user impact.'] }
    const { problems, valid, retried } = summarise(plan('a'), [retriedResult, ...rest])
    expect({ retries: problems[0]!.retries, valid, retried }).toEqual({
      retries: ['do-nothing needed 2 tries: No user impact.'],
      valid: 1,
      retried: 1,
    })
  })

  it('is partial if not all attempts that prove a problem were requested', () => {
    const isPartial = (attempts: readonly (typeof ATTEMPTS)[number][]): boolean =>
      summarise([{ problem: problem('a'), attempts }], []).isPartial
    expect([isPartial(ATTEMPTS), isPartial(ATTEMPTS.slice(1)), isPartial(ATTEMPTS.slice(0, 1))]).toEqual([
      false,
      true,
      true,
    ])
  })

  it('does not count a problem as valid if an attempt is missing', () => {
    expect(summarise(plan('a'), expectedResults('a').slice(0, 2)).problems[0]!.exceptions).toEqual([
      'hack restart was not tried',
    ])
  })
})

describe('the page', () => {
  const about = {
    title: 'smoke',
    date: '2026-11-15',
    commit: 'abc',
    machine: 'one',
    command: 'remedium validate smoke',
  }

  it('has tables by system and by fault, and every exception', () => {
    const page = validityDocument(
      summarise(plan('a', 'b'), [
        ...expectedResults('a'),
        ...expectedResults('b').slice(0, 2),
        result('b', 'hack restart', 'resolved'),
      ]),
      about,
    )
    for (const line of [
      '1 of 2 problems are valid (50.0 %). Attempts: 6; retried:\n0.',
      '| shop | 2 | 1 | - | 1 of 2 | - | 1.0 | - | 5.0 |',
      '| leak | 2 | 1 | - | 1 of 2 | - | 1.0 | - | 5.0 |',
      '- `b` (leak, shop): hack restart should fail and passes: it | was so',
      '| `a` | shop | mitigation | leak | fail | pass | - | 1 of 1 | yes |',
    ])
      expect(page).toContain(line)
  })

  it('is deterministic', () => {
    const format = () => validityDocument(summarise(plan('a'), expectedResults('a')), about)
    expect(format()).toBe(format())
  })
})
