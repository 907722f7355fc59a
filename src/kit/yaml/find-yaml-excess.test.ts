/** Tests that YAML which expands beyond bounds is found before it is expanded. */
import { expect, it } from 'vitest'
import { findYamlExcess } from './find-yaml-excess.ts'
import { yamlLibrary } from './yaml-library.ts'

const BOUNDS = { values: 20, characters: 100, depth: 4, valuesInKey: 3, aliases: 5 }
const findExcess = (text: string) => {
  const { contents } = yamlLibrary().parseDocument(text, { version: '1.1', logLevel: 'silent' })
  return findYamlExcess(contents, BOUNDS)
}

it.each([
  ['', undefined],
  ['a: {b: [1, 2]}', undefined],
  ['[&a 1, *a, &a 2, *a]', undefined],
  ['&a [&a 1, *a]', undefined],
  ['[&a {x: 1}, {<<: *a}]', undefined],
  ['[[[[1]]]]', undefined],
  ['[[[[[1]]]]]', { kind: 'depth' }],
  ['[&a [[1]], [*a]]', undefined],
  ['[&a [[1]], [[*a]]]', { kind: 'depth' }],
  [`[${'1,'.repeat(19)}]`, undefined],
  [`[${'1,'.repeat(20)}]`, { kind: 'size' }],
  ['[&a [1,1,1,1,1], *a, *a]', undefined],
  ['[&a [1,1,1,1,1], *a, *a, *a]', { kind: 'size' }],
  ['a: &a {b: 1, c: 2}\nd: &d {<<: [*a, *a]}\ne: {<<: *d}', { kind: 'size' }],
  [`[&a ${'x'.repeat(40)}, *a]`, undefined],
  [`[&a ${'x'.repeat(40)}, *a, *a]`, { kind: 'size' }],
  [`!!binary ${'x'.repeat(40)}`, undefined],
  [`[!!binary ${'x'.repeat(40)}]`, { kind: 'size' }],
  ['[&a 1, *a, *a, *a, *a, *a]', undefined],
  ['[&a 1, *a, *a, *a, *a, *a, *a]', { kind: 'aliases' }],
  ['{[1, 2]: 3}', undefined],
  ['{[1, 2, 3]: 4}', { kind: 'key' }],
  ['{&a [1, 2, 3]: 4}', { kind: 'key' }],
  ['[&a [1, 2, 3], {*a : 4}]', { kind: 'key' }],
  ['&a [1, *a]', { kind: 'cycle', name: 'a' }],
  ['&a {b: {*a : 1}}', { kind: 'cycle', name: 'a' }],
  ['!!omap [a: &b {c: *b}]', { kind: 'cycle', name: 'b' }],
  ['[*a, &a 1]', { kind: 'unknown', name: 'a' }],
])('checks %j', (text, expected) => {
  expect(findExcess(text)).toEqual(expected)
})
