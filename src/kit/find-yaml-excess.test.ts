/** YAML that grows is known by its text, before it has grown. */
import { expect, it } from 'vitest'
import { findYamlExcess } from './find-yaml-excess.ts'
import { yamlLibrary } from './yaml-library.ts'

const BOUNDS = { values: 20, letters: 100, depth: 4, valuesInKey: 3, references: 5 }
const find = (text: string) => {
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
  ['[[[[[1]]]]]', { what: 'depth' }],
  ['[&a [[1]], [*a]]', undefined],
  ['[&a [[1]], [[*a]]]', { what: 'depth' }],
  [`[${'1,'.repeat(19)}]`, undefined],
  [`[${'1,'.repeat(20)}]`, { what: 'size' }],
  ['[&a [1,1,1,1,1], *a, *a]', undefined],
  ['[&a [1,1,1,1,1], *a, *a, *a]', { what: 'size' }],
  ['a: &a {b: 1, c: 2}\nd: &d {<<: [*a, *a]}\ne: {<<: *d}', { what: 'size' }],
  [`[&a ${'x'.repeat(40)}, *a]`, undefined],
  [`[&a ${'x'.repeat(40)}, *a, *a]`, { what: 'size' }],
  [`!!binary ${'x'.repeat(40)}`, undefined],
  [`[!!binary ${'x'.repeat(40)}]`, { what: 'size' }],
  ['[&a 1, *a, *a, *a, *a, *a]', undefined],
  ['[&a 1, *a, *a, *a, *a, *a, *a]', { what: 'references' }],
  ['{[1, 2]: 3}', undefined],
  ['{[1, 2, 3]: 4}', { what: 'key' }],
  ['{&a [1, 2, 3]: 4}', { what: 'key' }],
  ['[&a [1, 2, 3], {*a : 4}]', { what: 'key' }],
  ['&a [1, *a]', { what: 'cycle', name: 'a' }],
  ['&a {b: {*a : 1}}', { what: 'cycle', name: 'a' }],
  ['!!omap [a: &b {c: *b}]', { what: 'cycle', name: 'b' }],
  ['[*a, &a 1]', { what: 'unknown', name: 'a' }],
])('%j', (text, expected) => {
  expect(find(text)).toEqual(expected)
})
