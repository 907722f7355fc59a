/** Tests of resource quantities. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addQuantities,
  canonicalAmount,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  milliValue,
  parseQuantity,
  quantityOrZero,
  subtractQuantities,
  unitValue,
} from './quantity.ts'

describe('canonicalQuantity', () => {
  it.each([
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1.5', '1500m'],
    ['100', '100'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['123456000', '123456k'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1536Ki', '1536Ki'],
    ['1000Ki', '1000Ki'],
    ['0.5Ki', '512'],
    ['1.5Ki', '1536'],
    ['1.1Ki', '1126400m'],
    ['0.0001Ki', '102400u'],
    ['-500m', '-500m'],
    ['-2048', '-2048'],
    ['-2Ki', '-2Ki'],
    ['+1', '1'],
    ['007', '7'],
    ['.5', '500m'],
    ['5.', '5'],
    ['0', '0'],
    ['-0', '0'],
    ['0Gi', '0'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['12e4', '120e3'],
    ['1e-3', '1e-3'],
    ['1e0', '1'],
    ['1e60', '1e60'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['1e-99999999', '1e-9'],
    ['100E', '100E'],
  ])('converts %j to %j', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical)
  })

  it('parses a suffix without a number as zero, as kube-apiserver does', () => {
    expect(['m', '+', '.', 'Gi', 'e3'].map(canonicalQuantity)).toEqual(['0', '0', '0', '0', '0'])
    expect(['Pi', 'Ei', 'e-10'].map(parseQuantity)).toEqual([undefined, undefined, undefined])
  })

  it('caps binary quantities at 63 bits, and does not cap decimal ones', () => {
    expect(canonicalQuantity('8Ei')).toBe('9223372036854775807')
    expect(canonicalQuantity('-9Ei')).toBe('-9223372036854775807')
    expect(canonicalQuantity('9223372036854775808')).toBe('9223372036854775808')
  })

  it.each(['', ' ', '1 Gi', '1GB', '1K', '1ki', 'one', '1..5', '1e', '1e5.2', '0x10', '--1', '1e1e1', '1\n'])(
    'rejects %j',
    (text) => {
      expect(parseQuantity(text)).toBeUndefined()
    },
  )

  it('rejects numbers that are too large to store exactly', () => {
    for (const text of ['1e999999999', '1e101', `1e${'9'.repeat(60)}`, '9'.repeat(1_000_000)])
      expect(parseQuantity(text)).toBeUndefined()
  })

  it('is idempotent and keeps the value', () => {
    const suffix = fc.constantFrom(
      '',
      'n',
      'u',
      'm',
      'k',
      'M',
      'G',
      'T',
      'P',
      'E',
      'Ki',
      'Mi',
      'Gi',
      'Ti',
      'e2',
      'E-5',
    )
    fc.assert(
      fc.property(fc.integer(), fc.nat(999_999), suffix, (whole, fraction, unit) => {
        const text = `${whole}.${fraction}${unit}`
        const canonical = canonicalQuantity(text)
        expect(canonicalQuantity(canonical)).toBe(canonical)
        expect(quantityOrZero(canonical).nano).toBe(quantityOrZero(text).nano)
      }),
    )
  })
})

describe('canonicalAmount', () => {
  it('rounds up to thousandths', () => {
    expect(['100u', '1500u', '0.0005', '2', '1Gi', '-1n'].map(canonicalAmount)).toEqual([
      '1m',
      '2m',
      '1m',
      '2',
      '1Gi',
      '-1m',
    ])
  })
})

describe('arithmetic', () => {
  it('rounds up to the requested unit', () => {
    expect([milliValue('1500u'), milliValue('0.1'), milliValue('2'), milliValue(undefined)]).toEqual([
      2, 100, 2000, 0,
    ])
    expect([unitValue('1m'), unitValue('1.1Ki'), unitValue('-1500m'), unitValue('1Gi')]).toEqual([
      1,
      1127,
      -2,
      2 ** 30,
    ])
  })

  it('keeps the format of the first operand, unless it is zero', () => {
    const add = (a: string, b: string): string =>
      formatQuantity(addQuantities(quantityOrZero(a), quantityOrZero(b)))
    expect([add('1Gi', '1024M'), add('0', '1Gi'), add('500m', '1500m'), add('1k', '24')]).toEqual([
      '2048576Ki',
      '1Gi',
      '2',
      '1024',
    ])
    expect(formatQuantity(subtractQuantities(quantityOrZero('1Gi'), quantityOrZero('512Mi')))).toBe('512Mi')
    expect(formatQuantity(subtractQuantities(quantityOrZero('0'), quantityOrZero('1Ki')))).toBe('-1Ki')
  })

  it('subtraction reverses addition', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
        const [left, right] = [a, b].map((nano) => ({ nano, format: 'decimal' as const }))
        expect(subtractQuantities(addQuantities(left!, right!), right!).nano).toBe(a)
      }),
    )
  })

  it('compares across suffixes', () => {
    expect(compareQuantities('1000m', '1')).toBe(0)
    expect(compareQuantities('1Gi', '1G')).toBe(1)
    expect(compareQuantities('0.1', '1')).toBe(-1)
  })
})
