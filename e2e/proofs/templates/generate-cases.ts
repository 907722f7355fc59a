/** Generates templates and conditions from a seed, by a grammar of typed expressions. */
import type { Random } from '#kit'
import type { Case } from './case.ts'
import { ATOMS, FILTERS, type ValueType } from './grammar.ts'

const TYPES: readonly ValueType[] = ['number', 'text', 'list', 'dict', 'bool', 'records']

/** How often an expression of another type is used on purpose. */
const CONFUSION = 0.05

class Generator {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#random.below(items.length)]!
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability
  }

  /** Fills `{type}` with small expressions. */
  #fill(pattern: string, depth: number): string {
    return pattern.replace(/<(number|text|list|dict|bool|records|any)>/g, (_, type: ValueType) =>
      this.expression(type, depth),
    )
  }

  expression(wanted: ValueType, depth: number): string {
    const isAny = wanted === 'any' || this.#chance(CONFUSION)
    const type = isAny ? this.#pick(TYPES) : wanted
    if (depth <= 0 || this.#chance(0.25)) return this.#pick(ATOMS[type])
    return this.#chance(0.6) ? this.#filtered(type, depth) : this.#composed(type, depth)
  }

  #filtered(type: ValueType, depth: number): string {
    const [input, , pattern] = this.#pick(FILTERS.filter(([, output]) => output === type))
    const value = this.expression(input, depth - 1)
    const isSimple = /^[\w.[\]']+$/.test(value)
    return `${isSimple ? value : `(${value})`} | ${this.#fill(pattern, depth - 2)}`
  }

  #composed(type: ValueType, depth: number): string {
    const inner = (wanted: ValueType): string => `(${this.expression(wanted, depth - 1)})`
    switch (type) {
      case 'number':
        return `${inner('number')} ${this.#pick(['+', '-', '*', '/', '//', '%'])} ${inner('number')}`
      case 'text':
        return this.#pick([
          () => `${inner('text')} ~ ${inner('any')}`,
          () => `${inner('text')} + ${inner('text')}`,
          () => `${inner('text')} * 2`,
          () => `${inner('text')}[${this.#pick(['0', '-1', '1:', ':2', '::-1', '1:3'])}]`,
          () => `${inner('text')}.${this.#fill(this.#pick(TEXT_METHODS), depth - 2)}`,
          () => `'%s-%s' % (${this.expression('any', depth - 1)}, ${this.expression('any', depth - 1)})`,
          () => `'{}/{}'.format(${this.expression('any', depth - 1)}, ${this.expression('any', depth - 1)})`,
        ])()
      case 'list':
        return this.#pick([
          () => `[${inner('any')}, ${inner('any')}]`,
          () => `${inner('list')} + ${inner('list')}`,
          () => `${inner('list')}[${this.#pick(['1:', ':2', '::-1', '-2:'])}]`,
          () => `${inner('text')}.split(${this.#pick(["'-'", "','", "' '", ''])})`,
          () => `${inner('dict')}.${this.#pick(['keys()', 'values()', 'items()'])}`,
        ])()
      case 'dict':
        return `{${this.#pick(["'k'", "'a'", '1', "'name'"])}: ${inner('any')}, 'z': ${inner('any')}}`
      case 'bool':
        return this.#comparison(depth)
      default:
        return `${inner('records')}[${this.#pick(['1:', ':2', '::-1'])}]`
    }
  }

  #comparison(depth: number): string {
    const inner = (wanted: ValueType): string => `(${this.expression(wanted, depth - 1)})`
    return this.#pick([
      () => `${inner('number')} ${this.#pick(['==', '!=', '<', '<=', '>', '>='])} ${inner('number')}`,
      () => `${inner('any')} == ${inner('any')}`,
      () => `${inner('text')} < ${inner('text')}`,
      () => `${inner('text')} in ${inner('text')}`,
      () => `${inner('any')} ${this.#pick(['in', 'not in'])} ${inner('list')}`,
      () => `${inner('bool')} ${this.#pick(['and', 'or'])} ${inner('bool')}`,
      () => `not ${inner('any')}`,
      () => `${inner('any')} is ${this.#fill(this.#pick(TESTS), depth - 2)}`,
    ])()
  }

  template(depth: number): string {
    const expression = (type: ValueType = 'any'): string => this.expression(type, depth)
    return this.#pick([
      ...Array.from({ length: 12 }, () => () => `{{ ${expression()} }}`),
      () => `${this.#pick(['a ', 'x=', '- ', ''])}{{ ${expression()} }}${this.#pick([' b', '\n', '%', ''])}`,
      () => `{{ ${expression()} }}${this.#pick(['', ' ', ', '])}{{ ${expression()} }}`,
      () => `{{ ${expression()} if ${expression('bool')} else ${expression()} }}`,
      () => `{% if ${expression('bool')} %}{{ ${expression()} }}{% else %}{{ ${expression()} }}{% endif %}`,
      () => `{% for i in ${expression('list')} %}{{ i }}{{ ',' if not loop.last }}{% endfor %}`,
      () => `{% for k, v in (${expression('dict')}).items() %}{{ k }}={{ v }};{% endfor %}`,
      () =>
        `{% for r in ${expression('records')} if r.age is defined %}{{ r.name }}{{ loop.index }} {% endfor %}`,
      () => `{% set y = ${expression()} %}{{ y }}`,
      () =>
        `{% set ns = namespace(n=0) %}{% for i in ${expression('list')} %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}`,
    ])()
  }

  next(): Case {
    const depth = 1 + this.#random.below(4)
    if (this.#chance(0.15)) return { kind: 'condition', text: this.expression('bool', depth) }
    if (this.#chance(0.03)) return { kind: 'bare', text: this.expression('any', depth) }
    return { kind: 'render', text: this.template(depth) }
  }
}

const TEXT_METHODS = [
  ...['upper()', 'lower()', 'strip()', 'capitalize()', "replace('a', 'b')", "split('-')", "startswith('t')"],
  ...["endswith(('t', 'x'))", "find('e')", "count('e')", 'isdigit()', "rstrip('t')", 'zfill(6)', 'center(9)'],
  ...["partition('-')", 'splitlines()', "removeprefix('te')", "join(['x', 'y'])", 'title()', 'swapcase()'],
]

const TESTS = [
  ...[
    'defined',
    'undefined',
    'none',
    'string',
    'number',
    'mapping',
    'sequence',
    'iterable',
    'boolean',
    'integer',
  ],
  ...['float', 'truthy', 'falsy', 'odd', 'even', 'lower', 'upper', 'eq <any>', 'ne <any>', 'gt <number>'],
  ...["match('t')", "search('e')", "regex('^.e')", 'in <list>', 'contains <any>', 'subset <list>'],
  ...['superset <list>', 'all', 'any', 'true', 'sameas none', 'divisibleby 2', "version('1.2', '>=')"],
  ...['changed', 'failed', 'succeeded', 'skipped'],
].map((test) => test.replace(/ (<\w+>)$/, '($1)'))

/** The same seed yields the same cases. */
export const generateCases = (random: Random, count: number): Case[] => {
  const generator = new Generator(random)
  return Array.from({ length: count }, () => generator.next())
}
