/** Tests of expressions, compared with a reference implementation of CEL where possible. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates contain these strings
import { Environment } from '@marcbachmann/cel-js'
import { describe, expect, test } from 'vitest'
import { createExpressionCompiler, createExpressions, readToken } from './index.ts'

const NOW = Date.UTC(2026, 0, 31, 12, 30, 5)
const expressions = createExpressions({
  random: () => 0.5,
  now: () => NOW,
  uuid: () => 'id-1',
  tokenKey: () => 'secret',
})

const evaluate = (source: string, scope: Record<string, unknown> = {}): unknown =>
  expressions.compileExpression(source, 'here')(scope)

const toPlainNumbers = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? Number(item) : item)))

describe('CEL', () => {
  const scope = { a: 5, s: 'hello', some: [3, 1, 2], pairs: { x: 1, y: null }, items: [{ n: 1 }, { n: 2 }] }
  const reference = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false })
  test.each([
    '1 + 2 * 3 - 4',
    '(1 + 2) * 3',
    '-a + 10',
    '7 % 4',
    '1 < 2 && 2.5 >= 2',
    'a == 5.0',
    'a != 4 ? "yes" : "no"',
    'true ? false ? 1 : 2 : 3',
    'false && some[9] == 1 || true',
    'some[9] == 1 || true',
    'false && 1 / 0 == 1',
    '!(a > 3)',
    '"x" + \'y\' + """z"q"""',
    'r"\\d" + "\\n\\u0041\\x42"',
    '0x1F + 25',
    '[1, 2] + some',
    '{"k": [1, {"m": true}], "n": null}',
    '2 in some',
    '"x" in pairs',
    'some.map(v, v * 2).filter(v, v > 2)',
    'items.map(i, i.n > 1, i.n)',
    'items.map(i, some.filter(v, v == i.n))',
    'some.exists(v, v == 3) && some.all(v, v > 0) && some.exists_one(v, v == 1)',
    'some.exists(v, 6 / (v - 1) > 2)',
    'some.all(v, 6 / (v - 1) > 5)',
    'pairs.filter(key, key == "x")',
    'has(pairs.x) && has(pairs.y) && !has(pairs.z)',
    'size(some) + size(s) + s.size()',
    's.startsWith("he") && s.endsWith("lo") && s.contains("ll") && s.matches("^h.*o$")',
    'string(a) + string(2.5) + string(true)',
    'int("42") + int(3.9) + int(-3.9)',
    'double("2.5")',
    'pairs.y == null // at the end',
    '1 == 2 == false',
  ])('evaluates %s', (source) => {
    const referenceScope = { ...scope, a: 5n, some: [3n, 1n, 2n], items: [{ n: 1n }, { n: 2n }] }
    expect(evaluate(source, scope)).toEqual(toPlainNumbers(reference.evaluate(source, referenceScope)))
  })

  test('mixes whole numbers and fractions, and branches of different kinds', () => {
    expect(evaluate('a * 0.5 + 1', { a: 3 })).toBe(2.5)
    expect(evaluate('a == null ? 0 : "none"', { a: null })).toBe(0)
    expect(evaluate('7 / 2 + 2.5e3 + .5')).toBe(2504)
    expect(evaluate('[{"a": 1}] == [{"a": 1.0}]')).toBe(true)
  })

  test('has() is false if any parent is missing', () => {
    expect(evaluate('has(a.b.c)', { a: { b: null } })).toBe(false)
    expect(evaluate('has(a.b.c)', { a: {} })).toBe(false)
  })

  test('reads inherited variables of a scope, but no properties of Object', () => {
    expect(evaluate('outer + inner', Object.assign(Object.create({ outer: 1 }), { inner: 2 }))).toBe(3)
    expect(() => evaluate('constructor')).toThrow('"constructor" is not a valid name')
    expect(() => evaluate('a.constructor', { a: {} })).toThrow('the key "constructor" does not exist')
  })
})

describe('functions', () => {
  const orders = [
    { id: 'b', n: 2 },
    { id: 'a', n: 1 },
    { id: 'b', n: 2 },
  ]
  test.each<[string, unknown]>([
    ['uuid()', 'id-1'],
    ['now()', NOW],
    ['date(now())', '2026-01-31'],
    ['dateTime(now())', '2026-01-31 12:30:05'],
    ['isoTime(now())', '2026-01-31T12:30:05.000Z'],
    ['parseDate("2026-01-31 12:30:05")', NOW],
    ['parseDate("2026-01-31")', Date.UTC(2026, 0, 31)],
    ['random()', 0.5],
    ['randomInt(1, 3)', 2],
    ['pick(["x", "y", "z"])', 'y'],
    ['sum([1, 2.5]) + sum([])', 3.5],
    ['[first([4, 5]), first([]), last([4, 5])]', [4, null, 5]],
    ['range(3)', [0, 1, 2]],
    ['join(["a", 1, true], "-") + ["x", "y"].join()', 'a-1-truexy'],
    ['"a,b".split(",")', ['a', 'b']],
    ['lower("A") + upper("b") + trim(" c ") + replace("dad", "d", "m")', 'aBcmam'],
    ['urlEncode("a b/c")', 'a%20b%2Fc'],
    ['get({"a": {"b": [7]}}, "a.b.0", 1) + get({}, "a.b", 1)', 8],
    ['[get(null, "a"), get({"a": null}, "a", 3), get("text", "length", 0)]', [null, 3, 0]],
    ['merge({"a": 1, "b": 1}, {"b": 2})', { a: 1, b: 2 }],
    ['parseJson(toJson({"a": [1]}))', { a: [1] }],
    ['hash("a").startsWith("ca978112")', true],
    ['slowHash("a") == slowHash("a") && slowHash("a") != slowHash("b")', true],
    ['[get(tokenClaims(token({"sub": "ada"}, 60)), "sub"), tokenClaims("a.b.c")]', ['ada', null]],
    ['round(2.345, 2) + round(1.5) + floor(1.9) + ceil(1.1) + abs(-1)', 8.35],
    ['[min([3, 1]), max([3, 1])]', [1, 3]],
    [
      'sortBy(orders, "id")',
      [
        { id: 'a', n: 1 },
        { id: 'b', n: 2 },
        { id: 'b', n: 2 },
      ],
    ],
    ['size(distinct(orders))', 2],
    ['slice([1, 2, 3], 1) + slice([1, 2, 3], 0, 1)', [2, 3, 1]],
    ['slice("abc", 1, 2)', 'b'],
    ['indexOf(["a", "b"], "b") + indexOf("abc", "c") + indexOf([], 1)', 2],
    ['lookup(orders, "id", "a").n', 1],
    ['lookup(orders, "id", "z")', null],
    ['entries({"a": 1})', [{ key: 'a', value: 1 }]],
    ['fromEntries([["a", 1], [2, "b"]])', { a: 1, 2: 'b' }],
    ['keys({"a": 1}) + values({"a": 1})', ['a', 1]],
    ['flatten([[1], [2, 3]])', [1, 2, 3]],
    ['reverse([1, 2])', [2, 1]],
    ['contains([1, 2], 2) && bool("true")', true],
  ])('compute %s', (source, expected) => {
    expect(evaluate(source, { orders })).toEqual(expected)
  })

  test('token() signs tokens that readToken() accepts', () => {
    const token = evaluate('token({"sub": "jo", "roles": ["ADMIN"]}, 60)') as string
    const claims = { sub: 'jo', roles: ['ADMIN'], iat: NOW / 1000, exp: NOW / 1000 + 60 }
    expect(readToken(token, 'secret', NOW)).toEqual(claims)
    expect(readToken(token, 'other', NOW)).toBeNull()
    expect(readToken(token, 'secret', NOW + 60_000)).toBeNull()
    expect(readToken(`${token.slice(0, -3)}AAA`, 'secret', NOW)).toBeNull()
    expect(readToken('no token', 'secret', NOW)).toBeNull()
  })
})

describe('templates', () => {
  const render = (source: string, scope: Record<string, unknown>): string =>
    expressions.compileTemplate(source, 'here')(scope)

  test('insert values, with braces and quotes in expressions', () => {
    expect(render('GET /product/${product}?q=${q["}"] + 1}', { product: 'x', q: { '}': 2 } })).toBe(
      'GET /product/x?q=3',
    )
    expect(render('${{"a": 1}.a}%§', {})).toBe('1%§')
    expect(render('plain $5 {x}', {})).toBe('plain $5 {x}')
  })

  test('report the location of a mistake, and list the names that the scope must provide', () => {
    expect(() => render('a ${b', { b: 1 })).toThrow('here: column 6 of `a ${b`: expected "}", found the end')
    expect(() => render('a ${b}', { b: null })).toThrow('here: null cannot be converted to text in `a ${b}`')
    expect([...expressions.compileTemplate('${a}/${b.c + d}', 'here').names]).toEqual(['a', 'b', 'd'])
  })
})

describe('mistakes', () => {
  test.each([
    ['a &&', 'here: column 5 of `a &&`: expected a value, found the end'],
    ['a b', 'column 3 of `a b`: expected the end, found "b"'],
    ['"open', 'column 1 of `"open`: the string is not terminated'],
    ['a # b', 'column 3 of `a # b`: "#" is not allowed here'],
    ['{"a" 1}', 'column 6 of `{"a" 1}`: expected ":", found "1"'],
    ['nope(1)', 'column 1 of `nope(1)`: the function nope() is not defined'],
    ['1 + lower()', 'column 5 of `1 + lower()`: lower() takes 1 argument, got 0'],
    ['get({})', 'get() takes 2 to 3 arguments, got 1'],
    ['[1].map(2, 3)', 'map() needs a variable and an expression'],
    ['has(a)', 'has() needs a member'],
    ['a.matches("(")', 'column 3 of `a.matches("(")`: matches() got "(", which is not a valid pattern'],
    ['('.repeat(300), 'nested too deeply'],
    [`1${' + 1'.repeat(5000)}`, 'the expression is too long'],
    [`a${'.b'.repeat(5000)}`, 'the expression is too long'],
    ['"\\d+"', 'column 2 of `"\\d+"`: \\d is not a valid escape sequence: write \\\\d'],
    ['', 'expected a value, found the end'],
  ])('are reported when %s is compiled', (source, message) => {
    expect(() => expressions.compileExpression(source, 'here')).toThrow(message)
  })

  test.each<[string, string]>([
    ['request.body.user_id', 'here: the key "user_id" does not exist in `request.body.user_id`'],
    ['request.gone.user_id', 'the key "gone" does not exist'],
    ['nothing.a', 'null has no "a"'],
    ['missing + 1', '"missing" is not defined'],
    ['list[2]', 'the index 2 is out of range for a list of 1'],
    ['"a" + 1', '"+" does not accept text and a number'],
    ['1 < "a"', '"<" does not accept a number and text'],
    ['nothing ? 1 : 2', '"?" needs true or false, got null'],
    ['1 && true', '"&&" needs true or false, got a number'],
    ['1 / 0', 'division by zero'],
    ['int("http")', 'int() got "http", which is not a number'],
    ['int("")', 'which is not a number'],
    ['int("Infinity")', 'which is not a number'],
    ['lower(1)', 'lower() needs text, got a number'],
    ['pick([])', 'pick() got an empty list'],
    ['parseJson("{")', 'parseJson() got text that is not JSON: {'],
    ['date("x")', 'date() needs a number, got text'],
    ['"a".map(x, x)', 'map() needs a list or a map, got text'],
  ])('are reported when %s is evaluated', (source, message) => {
    const scope = { request: { body: {} }, nothing: null, list: [1] }
    expect(() => evaluate(source, scope)).toThrow(message)
  })
})

describe('compileExpression', () => {
  test('lists the names that the scope must provide', () => {
    const { names } = expressions.compileExpression('a.b + list.map(x, x + c)[0] + [x]', 'here')
    expect([...names]).toEqual(['a', 'list', 'c', 'x'])
  })
})

describe('a shared expression', () => {
  test('takes time, randomness and the slow hash from the program that evaluates it', () => {
    const compiler = createExpressionCompiler()
    const expression = compiler.compileExpression('[now(), [1].map(x, uuid()), slowHash("a")]', 'here')
    const sourcesOf = (name: string, time: number) => ({
      random: () => 0,
      now: () => time,
      uuid: () => name,
      slowHash: (text: string) => `${name} ${text}`,
    })
    expect(expression({}, sourcesOf('one', 1))).toEqual([1, ['one'], 'one a'])
    expect(expression({}, sourcesOf('two', 2))).toEqual([2, ['two'], 'two a'])
  })
})
