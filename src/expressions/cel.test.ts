/** Expressions made by chance mean here what they mean to an implementation of CEL, failures included. */
import { Environment } from '@marcbachmann/cel-js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createExpressions } from './index.ts'

const expressions = createExpressions({ random: () => 0.5, now: () => 0, uuid: () => '' })
const other = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false })

/** The other one has whole numbers apart from all others. */
const SCOPE = {
  n: 5n,
  big: 1000n,
  s: 'hello',
  some: [3n, 1n, 2n],
  none: [],
  pairs: { x: 1n, y: 2n },
  yes: true,
}

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one)))

type Kind = 'int' | 'double' | 'bool' | 'text' | 'ints'

/** `parts` are put between the texts; all of the same kind, so that any order of evaluation is a valid one. */
const joined = (parts: readonly fc.Arbitrary<string>[], operators: readonly string[]) =>
  fc
    .tuple(fc.tuple(...parts), fc.array(fc.constantFrom(...operators), { minLength: 2, maxLength: 2 }))
    .map(([values, signs]) =>
      values.map((value, at) => (at === 0 ? value : `${signs[at - 1]} ${value}`)).join(' '),
    )

const literal = {
  int: fc.oneof(fc.integer({ min: -9, max: 9 }).map(String), fc.constantFrom('n', '0x1F', 'size(some)')),
  double: fc.constantFrom('1.5', '0.5', '2.5e3', '0.25', 'double(n)', '-3.75'),
  bool: fc.constantFrom('true', 'false', 'yes', 'has(pairs.x)', 'has(pairs.z)', '"x" in pairs'),
  text: fc.oneof(
    fc.stringMatching(/^[a-z ]{0,4}$/).map((value) => JSON.stringify(value)),
    fc.constantFrom('s', "'it\\u0027s'", 'r"\\d"', '"""a"b"""', '"\\n\\x41"', 'string(n)'),
  ),
  // No "[]": the other one takes what it is added to for a list of nothing.
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
  const deeper = (kind: Kind, ...ways: fc.Arbitrary<string>[]) =>
    fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      literal[kind],
      choice(kind),
      grouped(kind),
      ...ways,
    )
  return {
    int: deeper(
      'int',
      joined([tie('int'), literal.int, literal.int], ['+', '-', '*', '%']),
      tie('int').map((of) => `-(${of})`),
      fc.tuple(tie('ints'), tie('int')).map(([list, at]) => `(${list})[${at}]`),
      fc.constantFrom('x', 'z').map((key) => `pairs.${key}`),
      tie('text').map((of) => `size(${of})`),
      tie('double').map((of) => `int(${of})`),
    ),
    double: deeper(
      'double',
      joined([tie('double'), literal.double, literal.double], ['+', '-', '*']),
      tie('double').map((of) => `${of} / 4.0`),
    ),
    bool: deeper(
      'bool',
      joined([tie('bool'), tie('bool'), literal.bool], ['&&', '||']),
      tie('bool')
        .map((of) => `!${of}`)
        .filter((of) => /^!\(|^!\w+$/.test(of)),
      compared('int', ['<', '<=', '>', '>=', '==', '!=']),
      compared('double', ['<', '>=', '==']),
      compared('text', ['<', '>', '==', '!=']),
      compared('ints', ['==', '!=']),
      fc.tuple(tie('int'), tie('ints')).map(([item, list]) => `((${item}) in (${list}))`),
      fc
        .tuple(tie('text'), fc.constantFrom('contains', 'startsWith', 'endsWith'), literal.text)
        .map(([of, name, part]) => `(${of}).${name}(${part})`),
      ...['all', 'exists', 'exists_one'].map((name) => macro(name, tie('bool'))),
    ),
    text: deeper('text', joined([tie('text'), literal.text, literal.text], ['+'])),
    ints: deeper(
      'ints',
      joined([tie('ints'), literal.ints, literal.ints], ['+']),
      fc.array(tie('int'), { minLength: 1, maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      macro('map', tie('int')),
      macro('filter', tie('bool')),
    ),
  }
})

const outcomeOf = (evaluate: () => unknown): unknown => {
  try {
    return plain(evaluate())
  } catch {
    return 'a failure'
  }
}

test.each<Kind>(['int', 'double', 'bool', 'text', 'ints'])('expressions that give %s', (kind) => {
  const scope = plain(SCOPE) as Record<string, unknown>
  fc.assert(
    fc.property(grammar[kind], (source) => {
      // It proves kinds before it begins, and knows less of variables than there is to know.
      fc.pre(other.check(source).valid)
      expect(outcomeOf(() => expressions.compileExpression(source, 'here')(scope))).toEqual(
        outcomeOf(() => other.evaluate(source, SCOPE)),
      )
    }),
    { numRuns: 1000 },
  )
})
