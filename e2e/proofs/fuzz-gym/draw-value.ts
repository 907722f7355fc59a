/** Draws values and texts that no program expects: wrong types, huge and deep values, names with a meaning in JavaScript. */
import type { Random } from '#kit'

export const pick = <T>(random: Random, items: readonly T[]): T => items[random.below(items.length)]!

const TEXTS = [
  ...['', ' ', '\0', '\u2028', '\ud800', '\u202e', '🧨', 'x'.repeat(5000), '../../etc/passwd', '-1', 'null'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '$where',
    '{{ 7 * 7 }}',
    '$(x)',
    '%s%n',
    "' or 1=1 --",
  ],
  ...[
    'kube-system',
    'simple-micro',
    'pods',
    'Deployment',
    'apps/v1',
    '*',
    'a=b,c!=d',
    '(',
    '\\',
    '1e400',
    'NaN',
  ],
]
const NUMBERS = [0, -0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 31, 4_294_967_296, 1e21]

export const drawText = (random: Random): string =>
  Array.from({ length: 1 + random.below(3) }, () => pick(random, TEXTS)).join('')

export const drawValue = (random: Random, depth = 3): unknown => {
  const inner = (): unknown => drawValue(random, depth - 1)
  const scalars = [() => null, () => random.next() < 0.5, () => pick(random, NUMBERS), () => drawText(random)]
  const nested = [
    () => Array.from({ length: random.below(4) }, inner),
    () => Object.fromEntries(Array.from({ length: random.below(4) }, () => [drawText(random), inner()])),
  ]
  return pick(random, depth > 0 ? [...scalars, ...nested] : scalars)()
}

/** Removes, doubles, replaces or moves pieces of a text. */
export const mutate = (random: Random, text: string): string => {
  let result = text
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    const start = random.below(result.length + 1)
    const end = Math.min(result.length, start + random.below(20))
    const piece = pick(random, [
      () => '',
      () => result.slice(start, end).repeat(2),
      () => drawText(random).slice(0, 50),
      () =>
        pick(random, [
          '\n',
          '  ',
          ': ',
          '- ',
          '{',
          '}',
          '[',
          ']',
          '"',
          "'",
          '|',
          '&a ',
          '*a',
          '!!python/object ',
          '\t',
        ]),
    ])()
    result = result.slice(0, start) + piece + result.slice(end)
  }
  return result
}

const LEVELS = 20_000

/** JSON that is deep or large, as text. */
export const drawLargeJson = (random: Random): string =>
  pick(random, [
    () => '['.repeat(LEVELS) + ']'.repeat(LEVELS),
    () => `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`,
    () => JSON.stringify('y'.repeat(200_000)),
    () => JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index)),
    () => JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, {}]))),
  ])()
