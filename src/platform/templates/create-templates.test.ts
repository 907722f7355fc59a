/** Tests that the recorded answers of Ansible do not cover: unsafe values, limits and errors. */
import { describe, expect, it } from 'vitest'
import { createRandom } from '#kit'
import {
  createTemplates,
  Dict,
  Float,
  isTruthy,
  TemplateError,
  UnsafeValue,
  UnsupportedTemplate,
} from './index.ts'

const templates = createTemplates({ now: () => 1_700_000_000_123, random: createRandom('a') })

const errorOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return error
  }
}

describe('render', () => {
  it('renders all strings in a value, except keys', () => {
    const args = { '{{ x }}': ['{{ x }}', 'n={{ x }}', 7, null], nested: { list: '{{ [x] }}' } }
    expect(templates.render(args, { x: 5 })).toEqual({
      '{{ x }}': [5, 'n=5', 7, null],
      nested: { list: [5] },
    })
  })

  it('returns values without templates unchanged', () => {
    const value = { a: [1, { b: 'c' }] }
    expect(templates.render(value, {})).toBe(value)
    expect(templates.render('{{ value }}', { value })).toBe(value)
  })

  it('distinguishes ints, floats and large numbers', () => {
    const variables = { one: new Float(1), half: 0.5, large: 2n ** 70n }
    expect(templates.render('{{ one }} {{ half }} {{ large + 1 }}', variables)).toBe(
      '1.0 0.5 1180591620717411303425',
    )
    expect(templates.render('{{ [one, half, large] }}', variables)).toEqual([new Float(1), 0.5, 2n ** 70n])
    expect(templates.render('{{ one }}', variables)).toEqual(new Float(1))
  })

  it('keeps the order of keys that are numbers', () => {
    const rendered = templates.render("{{ {'2': 'b', '1': 'a', 'x': 'c'} }}", {})
    expect(rendered).toBeInstanceOf(Dict)
    expect((rendered as Dict).keys()).toEqual(['2', '1', 'x'])
    expect(templates.render('{{ d | list }}', { d: rendered })).toEqual(['2', '1', 'x'])
    const unordered = errorOf(() => templates.render('{{ d | list }}', { d: { 2: 'b', 1: 'a' } }))
    expect(unordered).toBeInstanceOf(UnsupportedTemplate)
    expect(templates.render("{{ d['1'] }}", { d: { 2: 'b', 1: 'a' } })).toBe('a')
  })

  it('does not reach inherited members', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      expect(templates.render(`{{ d.${name} is defined }}{{ ${name} is defined }}`, { d: {} })).toBe(
        'FalseFalse',
      )
      expect(templates.render(`{{ 'a' is defined }}{{ {}['${name}'] is defined }}`, {})).toBe('TrueFalse')
    }
    expect(errorOf(() => templates.render("{{ ''.__class__.__mro__ }}", {}))).toBeInstanceOf(
      UnsupportedTemplate,
    )
    const parsed = templates.render('{{ text | from_json }}', { text: '{"__proto__": {"a": 1}, "b": 2}' })
    expect(Object.keys(parsed as object)).toEqual(['__proto__', 'b'])
  })

  it('renders `omit` as a recognisable value', () => {
    expect(templates.omit).toMatch(/^__omit_place_holder__[0-9a-f]{40}$/)
    expect(templates.render('{{ missing | default(omit) }}', {})).toBe(templates.omit)
  })

  it('evaluates the same template with other variables', () => {
    const text = '{{ a }} and {{ b | default("none") }}'
    expect(templates.render(text, { a: 1 })).toBe('1 and none')
    expect(templates.render(text, { a: 2, b: 3 })).toBe('2 and 3')
  })
})

describe('values from outside the play', () => {
  const variables = { result: new UnsafeValue({ text: '{{ x }}', number: 5, plain: 'a' }), x: 1 }

  it('are not rendered', () => {
    expect(templates.render('{{ result.text }}', variables)).toBe('{{ x }}')
    expect(templates.render('{{ result.number }}', variables)).toBe('5')
    expect(templates.render({ a: new UnsafeValue('{{ x }}') }, variables)).toEqual({ a: '{{ x }}' })
  })

  it('stay unsafe when they become variables', () => {
    const fact = templates.renderVariable({ a: '{{ result.text }}', b: '{{ x }}', c: 'c' }, variables)
    expect(fact).toEqual({ a: new UnsafeValue('{{ x }}'), b: 1, c: 'c' })
    expect(templates.render('{{ fact.a }}|{{ fact.b }}', { ...variables, fact })).toBe('{{ x }}|1')
    expect(templates.renderVariable('{{ result.number }}', variables)).toEqual(new UnsafeValue('5'))
  })

  it('cannot be conditions', () => {
    const error = errorOf(() => templates.evaluate('{{ result.plain }}', variables))
    expect(error).toEqual(
      new TemplateError(
        'ansible',
        "The conditional check '{{ result.plain }}' failed. " +
          'The error was: Conditional is marked as unsafe, and cannot be evaluated.',
      ),
    )
  })
})

describe('the other forms', () => {
  it('keeps names with undefined variables', () => {
    expect(templates.renderName('Deploy {{ missing }}', {})).toBe('Deploy {{ missing }}')
    expect(templates.renderName('Deploy {{ x }}', { x: 1 })).toBe('Deploy 1')
  })

  it('adds braces to the names of variables', () => {
    expect(templates.renderBare('x', { x: 5 })).toBe(5)
    expect(templates.renderBare('d.a[0]', { d: { a: ['b'] } })).toBe('b')
    expect(templates.renderBare('x | string', { x: 5 })).toBe('5')
    expect(templates.renderBare('other', { x: 5 })).toBe('other')
  })

  it('evaluates a list of conditions up to the first false one', () => {
    expect(templates.evaluate(['x == 1', 'missing.a'], { x: 0 })).toBe(false)
    expect(templates.evaluate(['x == 1', true, null, ''], { x: 1 })).toBe(true)
    expect(templates.evaluate([], {})).toBe(true)
    expect(isTruthy(templates.evaluate('{{ l }}', { l: [] }))).toBe(false)
  })
})

describe('errors', () => {
  it.each([
    ['{{ missing }}', 'undefined', "'missing' is undefined. 'missing' is undefined"],
    ['{{ d.a }}', 'undefined', "'dict object' has no attribute 'a'. 'dict object' has no attribute 'a'"],
    ['{{ 1 / 0 }}', 'python', 'division by zero'],
    ['{{ {} | combine(5) }}', 'ansible', expect.stringContaining('expected dicts')],
    ['{{ x | nofilter }}', 'ansible', expect.stringContaining('Could not load "nofilter"')],
  ])('of %s have the kind and the message of Ansible', (text, kind, message) => {
    const error = errorOf(() => templates.render(text, { d: {} })) as TemplateError
    expect(error).toBeInstanceOf(TemplateError)
    expect([error.kind, error.message]).toEqual([kind, message])
  })

  it.each([
    ['{% macro m() %}{% endmacro %}', 'the statement macro'],
    ["{{ x | json_query('a') }}", 'the filter json_query'],
    ["{{ lookup('pipe', 'id') }}", 'the lookup pipe'],
    ["{{ lookup('env', 'HOME') }}", 'the lookup env'],
    ["{{ 'a' | regex_replace('(?=a)', '') }}", 'lookaround, atomic groups, conditions and backreferences'],
    ['{{ 5 | random }}', 'the filter random without a seed'],
  ])('name the unsupported feature that %s uses', (text, feature) => {
    expect(errorOf(() => templates.render(text, { x: 1 }))).toEqual(new UnsupportedTemplate(feature))
  })
})

describe('limits', () => {
  it.each([
    '{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}',
    '{{ range(1000000000) | list }}',
    "{{ 'a' * 1000000000 }}",
    '{% set a = [1] * 1000 %}{% set b = [a] * 1000 %}{% set c = [b] * 1000 %}{{ c }}',
    '{{ range(99) | product(range(99), range(99), range(99)) | list }}',
    '{{ 2 ** 1000000000 }}',
    "{{ '%1000000000d' % 5 }}",
    `{{ ${'('.repeat(3000)}1${')'.repeat(3000)} }}`,
    `{{ ${Array.from({ length: 9000 }, () => '1').join(' and ')} }}`,
    `{{ x }}${'a'.repeat(70_000)}`,
    "{{ ('a' * 1000) | replace('a', 'a' * 10000) }}",
  ])('end the evaluation of template %#', (text) => {
    expect(errorOf(() => templates.render(text, { x: 1 }))).toBeInstanceOf(UnsupportedTemplate)
  })

  it('apply to each evaluation separately', () => {
    const text = '{% for a in range(1000) %}{% for b in range(300) %}{{ 1 }}{% endfor %}{% endfor %}'
    for (let round = 0; round < 3; round += 1) expect(templates.render(text, {})).toHaveLength(300_000)
  })

  it('do not depend on the pattern of a regular expression', () => {
    expect(templates.render("{{ ('a' * 20000 ~ 'b') | regex_search('^(a+)+$') is none }}", {})).toBe(true)
  })
})

it('takes the time from its caller', () => {
  let time = 0
  const clocked = createTemplates({ now: () => time, random: createRandom(1) })
  expect(clocked.render("{{ now(fmt='%F %T') }}", {})).toBe('1970-01-01 00:00:00')
  time = 90_061_000
  expect(clocked.render("{{ now(fmt='%F %T') }}", {})).toBe('1970-01-02 01:01:01')
})

describe('hostvars and vars', () => {
  const variables = { x: 1, text: '{{ x }}', broken: '{{ missing }}', fact: new UnsafeValue('{{ x }}') }
  const all = { ...variables, hostvars: { localhost: variables } }

  it('are read one by one', () => {
    expect(templates.render("{{ hostvars['localhost'].text }}", all)).toBe('1')
    expect(templates.render("{{ hostvars['localhost']['fact'] }}", all)).toBe('{{ x }}')
    expect(templates.render("{{ hostvars['localhost'].broken }}", all)).toBe('{{ missing }}')
    expect(templates.render("{{ vars['text'] }}|{{ vars.fact }}", all)).toBe('{{ x }}|{{ x }}')
    expect(templates.evaluate("hostvars['other'] is defined", all)).toBe(false)
    expect(
      templates.evaluate("vars.missing is defined or hostvars['localhost'].missing is defined", all),
    ).toBe(false)
  })

  it('are dictionaries', () => {
    expect(templates.evaluate('vars is mapping and hostvars is mapping and vars is iterable', all)).toBe(true)
  })

  it('report the name of a missing variable', () => {
    const error = errorOf(() => templates.render("{{ hostvars['other'].x }}", all)) as TemplateError
    expect(error.message).toContain(`"hostvars['other']" is undefined`)
  })

  it.each([
    '{{ vars | length }}',
    '{{ hostvars }}',
    '{{ hostvars.keys() }}',
    '{% for v in vars %}{% endfor %}',
  ])('are not supported as a whole: %s', (text) => {
    expect(errorOf(() => templates.render(text, all))).toBeInstanceOf(UnsupportedTemplate)
  })
})
