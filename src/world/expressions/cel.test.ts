/** Compares random expressions, including failing ones, with a reference implementation of CEL. */
import { Environment } from '@marcbachmann/cel-js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createExpressions } from './index.ts'

const expressions = createExpressions({ random: () => 0.5, now: () => 0, uuid: () => '' })
const reference = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false })

/** Integers are bigints, because the reference implementation distinguishes them from doubles. */
const SCOPE = {
  n: 5n,
  big: 1000n,
  s: 'hello',
  some: [3n, 1n, 2n],
  none: [],
  pairs: { x: 1n, y: 2n },
  yes: true,
}

const toPlainNumbers = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? Number(item) : item)))

type Kind = 'int' | 'double' | 'bool' | 'text' | 'ints'

/** Joins three `parts` of one kind with two operators; the result is valid regardless of their precedence. */
const joinWithOperators = (parts: readonly fc.Arbitrary<string>[], operators: readonly string[]) =>
  fc
    .tuple(fc.tuple(...parts), fc.array(fc.constantFrom(...operators), { minLength: 2, maxLength: 2 }))
    .map(([values, signs]) =>
      values.map((value, index) => (index === 0 ? value : `${signs[index - 1]} ${value}`)).join(' '),
    )

const literal = {
  int: fc.oneof(fc.integer({ min: -9, max: 9 }).map(String), fc.constantFrom('n', '0x1F', 'size(some)')),
  double: fc.constantFrom('1.5', '0.5', '2.5e3', '0.25', 'double(n)', '-3.75'),
  bool: fc.constantFrom('true', 'false', 'yes', 'has(pairs.x)', 'has(pairs.z)', '"x" in pairs'),
  text: fc.oneof(
    fc.stringMatching(/^[a-z ]{0,4}$/).map((value) => JSON.stringify(value)),
    fc.constantFrom('s', "'it\\u0027s'", 'r"\\d"', '"""a"b"""', '"\\n\\x41"', 'string(n)'),
  ),
  // No "[]": the reference implementation infers an empty list type from it.
  ints: fc.constantFrom('none', 'some', '[1, 2, 2]', '[n, 7]'),
} satisfies Record<Kind, fc.Arbitrary<string>>

const grammar = fc.letrec<Record<Kind, string>>((tie) => {
  const choice = (kind: Kind) =>
    fc.tuple(tie('bool'), tie(kind), tie(kind)).map(([a, b, c]) => `(${a} ? ${b} : ${c})`)
  const grouped = (kind: Kind) => tie(kind).map((inner) => `(${inner})`)
  const compared = (kind: Kind, operators: readonly string[]) =>
    fc.tuple(tie(kind), fc.constantFrom(...operators), tie(kind)).map(([a, sign, b]) => `(${a} ${sign} ${b})`)
  const macro = (name: string, body: fc.Arbitrary<string>) =>
    fc
      .tuple(tie('ints'), body)
      .map(([list, inner]) => `(${list}).${name}(v, ${inner.replaceAll(/\bn\b/g, 'v')})`)
  const nest = (kind: Kind, ...alternatives: fc.Arbitrary<string>[]) =>
    fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      literal[kind],
      choice(kind),
      grouped(kind),
      ...alternatives,
    )
  return {
    int: nest(
      'int',
      joinWithOperators([tie('int'), literal.int, literal.int], ['+', '-', '*', '%']),
      tie('int').map((expression) => `-(${expression})`),
      fc.tuple(tie('ints'), tie('int')).map(([list, index]) => `(${list})[${index}]`),
      fc.constantFrom('x', 'z').map((key) => `pairs.${key}`),
      tie('text').map((expression) => `size(${expression})`),
      tie('double').map((expression) => `int(${expression})`),
    ),
    double: nest(
      'double',
      joinWithOperators([tie('double'), literal.double, literal.double], ['+', '-', '*']),
      tie('double').map((expression) => `${expression} / 4.0`),
    ),
    bool: nest(
      'bool',
      joinWithOperators([tie('bool'), tie('bool'), literal.bool], ['&&', '||']),
      tie('bool')
        .map((expression) => `!${expression}`)
        .filter((expression) => /^!\(|^!\w+$/.test(expression)),
      compared('int', ['<', '<=', '>', '>=', '==', '!=']),
      compared('double', ['<', '>=', '==']),
      compared('text', ['<', '>', '==', '!=']),
      compared('ints', ['==', '!=']),
      fc.tuple(tie('int'), tie('ints')).map(([item, list]) => `((${item}) in (${list}))`),
      fc
        .tuple(tie('text'), fc.constantFrom('contains', 'startsWith', 'endsWith'), literal.text)
        .map(([expression, name, part]) => `(${expression}).${name}(${part})`),
      ...['all', 'exists', 'exists_one'].map((name) => macro(name, tie('bool'))),
    ),
    text: nest('text', joinWithOperators([tie('text'), literal.text, literal.text], ['+'])),
    ints: nest(
      'ints',
      joinWithOperators([tie('ints'), literal.ints, literal.ints], ['+']),
      fc.array(tie('int'), { minLength: 1, maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      macro('map', tie('int')),
      macro('filter', tie('bool')),
    ),
  }
})

const outcomeOf = (evaluate: () => unknown): unknown => {
  try {
    return toPlainNumbers(evaluate())
  } catch {
    return 'a failure'
  }
}

test.each<Kind>(['int', 'double', 'bool', 'text', 'ints'])(
  'evaluates expressions of type %s as the reference implementation does',
  (kind) => {
    const scope = toPlainNumbers(SCOPE) as Record<string, unknown>
    fc.assert(
      fc.property(grammar[kind], (source) => {
        // The reference implementation checks types first, with less knowledge about variables.
        fc.pre(reference.check(source).valid)
        expect(outcomeOf(() => expressions.compileExpression(source, 'here')(scope))).toEqual(
          outcomeOf(() => reference.evaluate(source, SCOPE)),
        )
      }),
      { numRuns: 1000 },
    )
  },
)
