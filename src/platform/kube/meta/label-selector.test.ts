/** Tests of label selectors in text and object form. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError, type Status } from './api-error.ts'
import { hasLabels, matchesRequirement, selectorText, toLabelMatcher } from './label-selector.ts'
import { parseLabelSelector } from './parse-label-selector.ts'

const statusOf = (text: string): Status | undefined => {
  try {
    parseLabelSelector(text)
  } catch (error) {
    if (error instanceof ApiError) return error.toStatus()
    throw error
  }
  return undefined
}
const errorMessage = (text: string): string => statusOf(text)?.message ?? ''

const VALUE_MESSAGE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const NAME_MESSAGE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

describe('parseLabelSelector', () => {
  const labels = { app: 'web', tier: 'front', weight: '10', empty: '' }
  it.each([
    ['', true],
    ['  ', true],
    ['app', true],
    ['app=web', true],
    [' app == web , tier = front', true],
    ['app=api', false],
    ['app!=api', true],
    ['other!=api', true],
    ['!other', true],
    ['!app', false],
    ['app in (web,api)', true],
    ['app in(api)', false],
    ['app notin (api)', true],
    ['other notin (api)', true],
    ['other in (api)', false],
    ['empty=', true],
    ['empty=,app=web', true],
    ['empty in (,x)', true],
    ['app in (,x)', false],
    ['app in (x,)', false],
    ['empty in (x,)', true],
    ['weight>9', true],
    ['weight>10', false],
    ['weight<11', true],
    ['app>1', false],
    ['other<1', false],
    ['in', false],
    ['in!=notin', true],
    ['toString', false],
  ])('parses %j (matches: %s)', (text, matches) => {
    expect(parseLabelSelector(text)(labels)).toBe(matches)
  })

  it('rejects a recorded request with the Status of a real server', () => {
    expect(statusOf('app===web')).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: "unable to parse requirement: found '=', expected: identifier",
      reason: 'BadRequest',
      code: 400,
    })
  })

  it.each([
    ['app===web', "unable to parse requirement: found '=', expected: identifier"],
    ['app==(', "unable to parse requirement: found '(', expected: identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['=web', "found '=', expected: !, identifier, or 'end of string'"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['app,', "found '', expected: identifier after ','"],
    ['app,,tier', "found ',', expected: identifier after ','"],
    ['app=web tier', "found 'tier', expected: ',' or 'end of string'"],
    ['!app=web', "found '=', expected: ',' or 'end of string'"],
    ['app web', "unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt"],
    ['app in web', "unable to parse requirement: found 'web' expected: '('"],
    ['app in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['app in (a', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['app in (a b)', "unable to parse requirement: found 'b', expected: ',' or ')'"],
    ['app in (a,=)', "unable to parse requirement: found '=', expected: ',', or identifier"],
    [
      'app in ()',
      "unable to parse requirement: values: Invalid value: []string{}: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      'app>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['app=-x', `unable to parse requirement: values[0][app]: Invalid value: "-x": ${VALUE_MESSAGE}`],
    [
      'app in (b,-x,-y)',
      `unable to parse requirement: [values[0][app]: Invalid value: "-x": ${VALUE_MESSAGE}, values[1][app]: Invalid value: "-y": ${VALUE_MESSAGE}]`,
    ],
    [
      `app=${'x'.repeat(64)}`,
      `unable to parse requirement: values[0][app]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 characters`,
    ],
    ['-app=web', `unable to parse requirement: <nil>: Invalid value: "-app": ${NAME_MESSAGE}`],
    [
      'a/b/c',
      `unable to parse requirement: <nil>: Invalid value: "a/b/c": ${NAME_MESSAGE.replace('name part', 'a qualified name')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
  ])('rejects %j with the message of kube-apiserver', (text, message) => {
    expect(errorMessage(text)).toBe(message)
  })

  it('returns a matcher or throws an ApiError, for any text', () => {
    const piece = fc.constantFrom(
      'app',
      'in',
      'notin',
      '=',
      '==',
      '!',
      '!=',
      ',',
      '(',
      ')',
      '<',
      '>',
      ' ',
      '\t',
      '-',
      'é',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(typeof errorMessage(pieces.join(''))).toBe('string')
      }),
    )
  })

  it('parses the output of selectorText', () => {
    const word = fc.constantFrom('a', 'b', 'c')
    const requirement = fc.oneof(
      fc.record({
        key: word,
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.array(word, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ key: word, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    )
    const selector = fc.record({
      matchLabels: fc.dictionary(word, word),
      matchExpressions: fc.array(requirement, { maxLength: 3 }),
    })
    fc.assert(
      fc.property(selector, fc.dictionary(word, word), (generated, labels) => {
        expect(parseLabelSelector(selectorText(generated))(labels)).toBe(toLabelMatcher(generated)(labels))
      }),
    )
  })
})

describe('toLabelMatcher', () => {
  it('matches nothing if undefined, and everything if empty', () => {
    expect(toLabelMatcher(undefined)({ app: 'web' })).toBe(false)
    expect(toLabelMatcher({})({ app: 'web' })).toBe(true)
    expect(toLabelMatcher({ matchLabels: { app: 'web' } })(undefined)).toBe(false)
  })
})

describe('selectorText', () => {
  it('sorts requirements and values', () => {
    expect(
      selectorText({
        matchLabels: { tier: 'front', app: 'web' },
        matchExpressions: [
          { key: 'zone', operator: 'NotIn', values: ['b', 'a'] },
          { key: 'canary', operator: 'DoesNotExist' },
          { key: 'blue', operator: 'Exists' },
          { key: 'x', operator: 'In', values: ['1'] },
        ],
      }),
    ).toBe('app=web,blue,!canary,tier=front,x in (1),zone notin (a,b)')
    expect(selectorText(undefined)).toBe('')
  })
})

describe('matchesRequirement', () => {
  it('compares integers only', () => {
    const isAbove9 = (value: string): boolean =>
      matchesRequirement({ size: value }, { key: 'size', operator: 'Gt', values: ['9'] })
    expect(['10', '9', '10x', '', '1e3'].map(isAbove9)).toEqual([true, false, false, false, false])
  })
})

describe('hasLabels', () => {
  it('requires every pair', () => {
    expect(hasLabels({ app: 'web', tier: 'x' }, { app: 'web' })).toBe(true)
    expect(hasLabels({ app: 'api' }, { app: 'web' })).toBe(false)
    expect(hasLabels(undefined, {})).toBe(true)
    expect(hasLabels({}, { toString: 'x' })).toBe(false)
  })
})
